import { isMap, isScalar, isSeq } from 'yaml';
import type { Document, Node, Pair } from 'yaml';
import { NestingError } from '../../shared/domain/content-check/document-node';
import { composeYaml, yamlFault } from '../../shared/domain/content-check/yaml-documents';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import type { Input } from './inputs';
import { Lines } from './lines';
import type { InputProblem } from './report-parts';

/** A Kubernetes object, wherever it is from. */
export interface FoundObject {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly object: unknown;
}

/** A Kubernetes object in a file. */
export interface Manifest extends FoundObject {
  readonly file: string;
  readonly line: number;
  /** The line of a field of the object; undefined if it is missing. */
  readonly lineOf: (path: readonly string[]) => number | undefined;
  /** The value of a field if it is written without quotes and tags, in one piece; undefined if it is not. */
  readonly plainAt: (path: readonly string[]) => string | undefined;
}

/** The objects in a file, and problems with other parts. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly InputProblem[];
}

/** No real manifest uses anchors this often. Without a limit, a small text could fill the memory. */
const maxAliasCount = 10_000;

/** Reads the objects of all documents, and those in lists. Empty documents are skipped. No message quotes the text. */
export function readManifests({ file, text }: Input, defaultNamespace: string): Manifests {
  const lines = new Lines();
  const manifests: Manifest[] = [];
  const problems: InputProblem[] = [];
  const report = (offset: number, reason: string): void =>
    void problems.push({ file, line: lines.at(offset), message: withTemplateHint(reason, text) });
  const read = (value: unknown, node: Node | null): void => {
    const offset = node?.range?.[0] ?? 0;
    const apiVersion = textOf(fieldAt(value, ['apiVersion']));
    const kind = textOf(fieldAt(value, ['kind']));
    if (apiVersion === undefined || kind === undefined) {
      report(offset, 'this is no Kubernetes object: it needs apiVersion and kind');
      return;
    }
    const items = fieldAt(value, ['items']);
    if (kind.endsWith('List') && Array.isArray(items)) {
      const nodes = isMap(node) ? node.get('items', true) : undefined;
      for (const [index, item] of items.entries()) read(item, (isSeq(nodes) ? nodes.items[index] : node) as Node);
      return;
    }
    const namespace = textOf(fieldAt(value, ['metadata', 'namespace'])) ?? defaultNamespace;
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const lineOf = (path: readonly string[]): number | undefined => {
      const at = offsetOfField(node, path);
      return at === undefined ? undefined : lines.at(at);
    };
    const plainAt = (path: readonly string[]): string | undefined => plainText(pairAt(node, path)?.value);
    manifests.push({
      file,
      line: lines.at(offset),
      apiVersion,
      group,
      kind,
      namespace,
      object: value,
      lineOf,
      plainAt,
    });
  };
  for (const document of documentsOf(text, lines, report)) {
    const [error] = document.errors;
    if (error) {
      const { offset, reason } = yamlFault(error);
      report(offset, reason);
      continue;
    }
    const value = valueOf(document, report);
    if (value !== undefined && value !== null) read(value, document.contents);
  }
  return { manifests, problems };
}

type Report = (offset: number, reason: string) => void;

function documentsOf(text: string, lines: Lines, report: Report): readonly Document.Parsed[] {
  try {
    return composeYaml(text, { merge: true, onLine: (offset) => lines.add(offset) });
  } catch (thrown) {
    if (!(thrown instanceof NestingError)) throw thrown;
    report(
      thrown.offset,
      `this is ${thrown.message}, as no Kubernetes object is: a bracket or brace may not be closed`,
    );
    return [];
  }
}

function valueOf(document: Document.Parsed, report: Report): unknown {
  const offset = document.contents?.range[0] ?? 0;
  try {
    const value: unknown = document.toJS({ maxAliasCount });
    // `{{ .Values.name }}` is a map whose key is a map, which no object has.
    const isTemplate = hasMapAsKey(document.contents);
    if (isTemplate) report(offset, 'a key is a map');
    return isTemplate ? undefined : value;
  } catch {
    report(offset, 'an alias has no anchor, or there are too many');
    return undefined;
  }
}

function hasMapAsKey(node: unknown): boolean {
  if (isSeq(node)) return node.items.some(hasMapAsKey);
  if (!isMap(node)) return false;
  return node.items.some(({ key, value }) => isMap(key) || hasMapAsKey(value));
}

function withTemplateHint(reason: string, text: string): string {
  const hint = "; if this is a template of Helm, render it first, with 'helm template'";
  return text.includes('{{') ? reason + hint : reason;
}

/** The offset of a field's name. */
function offsetOfField(node: Node | null, path: readonly string[]): number | undefined {
  return (pairAt(node, path)?.key as Node | undefined)?.range?.[0];
}

function pairAt(node: unknown, [field, ...rest]: readonly string[]): Pair | undefined {
  // If two fields have the same name, the last one counts.
  const pair = isMap(node) ? node.items.findLast(({ key }) => isScalar(key) && key.value === field) : undefined;
  return pair && rest.length > 0 ? pairAt(pair.value, rest) : pair;
}

function plainText(node: unknown): string | undefined {
  const isPlain = isScalar(node) && node.type === 'PLAIN' && node.tag === undefined;
  return isPlain ? node.source : undefined;
}
