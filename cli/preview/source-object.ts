import { annotationsOf, type Annotations } from '../../shared/domain/annotations/annotations';
import { fieldAt, isObject, objectOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import type { Labels } from '../../shared/domain/kubernetes/selector';
import { isOtherThanText } from '../manifests/other-than-text';

/** The kinds whose content a person edits. */
export type EditedKind = 'ConfigMap' | 'Secret';

/** What counts of a ConfigMap or Secret, with its content: it must not outlive the comparison. */
export interface SourceObject {
  readonly content: ReadonlyMap<string, Buffer>;
  readonly annotations: Annotations;
  readonly labels: Labels;
  readonly isImmutable: boolean;
}

type Encoding = 'utf8' | 'base64';

/** The fields with content. If two of them have the same key, the later one counts. */
const contentFields: Readonly<Record<EditedKind, readonly (readonly [field: string, encoding: Encoding])[]>> = {
  ConfigMap: [
    ['data', 'utf8'],
    ['binaryData', 'base64'],
  ],
  Secret: [
    ['data', 'base64'],
    ['stringData', 'utf8'],
  ],
};

export function readSourceObject(kind: EditedKind, object: unknown): SourceObject {
  return {
    content: contentOf(kind, object),
    annotations: annotationsOf(object),
    labels: objectOf(fieldAt(object, ['metadata', 'labels'])),
    isImmutable: fieldAt(object, ['immutable']) === true,
  };
}

function contentOf(kind: EditedKind, object: unknown): ReadonlyMap<string, Buffer> {
  const entries = contentFields[kind].flatMap(([field, encoding]) =>
    Object.entries(objectOf(fieldAt(object, [field]))).map(
      ([key, value]) => [key, Buffer.from(typeof value === 'string' ? value : '', encoding)] as const,
    ),
  );
  return new Map(entries);
}

/** Why the API server would refuse a field of a manifest. */
export interface Refused {
  readonly path: readonly string[];
  readonly message: string;
}

/** The value of a field that is written without quotes; undefined for any other. */
export type PlainAt = (path: readonly string[]) => string | undefined;

/** Why the API server would refuse the content of a manifest, with the field. Quotes no value. */
export function contentProblems(
  kind: EditedKind,
  object: unknown,
  plainAt: PlainAt = () => undefined,
): readonly Refused[] {
  return contentFields[kind].flatMap(([field, encoding]) => {
    const content = fieldAt(object, [field]) ?? {};
    if (!isObject(content)) return [refused([field], 'it is no map of keys and their values')];
    return Object.entries(content).flatMap(([key, value]) => {
      const path = [field, key];
      const message =
        textProblem(value, plainAt(path)) ?? encodingProblem(value, encoding) ?? keyProblem(kind, object, path);
      return message === undefined ? [] : [refused(path, message)];
    });
  });
}

/** Why the API server would refuse the name of a manifest or that of its namespace. */
export function nameProblems(object: unknown, plainAt: PlainAt): readonly Refused[] {
  const metadata = fieldAt(object, ['metadata']);
  const { name, generateName } = objectOf(metadata);
  if ((name ?? generateName ?? '') === '') return [{ path: ['metadata'], message: 'it has no metadata.name' }];
  return ['name', 'generateName', 'namespace'].flatMap((field) => {
    const path = ['metadata', field];
    const message = textProblem(fieldAt(object, path) ?? '', plainAt(path));
    return message === undefined ? [] : [refused(path, message)];
  });
}

function refused(path: readonly string[], why: string): Refused {
  return { path, message: `the API server refuses ${path.join('.')}: ${why}` };
}

/** What the API server takes for a key of a ConfigMap or Secret, in words. */
export const contentKeys = 'keys have letters, digits, "-", "_" and ".", at most 253, and do not begin with ".."';

export function isContentKey(key: string): boolean {
  return /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/.test(key);
}

function textProblem(value: unknown, plain: string | undefined): string | undefined {
  // An empty field, which is an empty value.
  if (value === null) return undefined;
  if (typeof value !== 'string') return 'it is no text; put the value into quotes';
  if (plain === undefined || !isOtherThanText(plain)) return undefined;
  return 'kubectl takes it for a boolean or a number; put the value into quotes';
}

function encodingProblem(value: unknown, encoding: Encoding): string | undefined {
  return encoding === 'utf8' || typeof value !== 'string' || isBase64(value) ? undefined : 'it is not in base64';
}

function keyProblem(kind: EditedKind, object: unknown, [field, key = '']: readonly string[]): string | undefined {
  if (!isContentKey(key)) return contentKeys;
  // In a Secret, stringData wins over data.
  const isTwice =
    kind === 'ConfigMap' && field === 'binaryData' && Object.hasOwn(objectOf(fieldAt(object, ['data'])), key);
  return isTwice ? 'data has the same key' : undefined;
}

/** As Go's decoder takes it: padded, with line ends anywhere. */
function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, '');
  return joined.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(joined);
}

/**
 * The source after a manifest was applied. A key, annotation or label that the manifest does not have is removed, or
 * stays if `kubectl apply` has recorded that it was never in the manifest.
 */
export function applied(kind: EditedKind, manifest: unknown, live: unknown): SourceObject {
  const written = readSourceObject(kind, manifest);
  const last = lastApplied(live);
  if (!last) return written;
  // `stringData` is never stored, so `kubectl apply` finds nothing to remove there: what came by it stays in `data`.
  const before = readSourceObject(kind, { ...last, stringData: undefined });
  const stored = readSourceObject(kind, live);
  return {
    ...written,
    content: new Map([...[...stored.content].filter(([key]) => !before.content.has(key)), ...written.content]),
    annotations: mergedFields(stored.annotations, before.annotations, written.annotations),
    labels: mergedFields(stored.labels, before.labels, written.labels),
    isImmutable: written.isImmutable || (stored.isImmutable && !before.isImmutable),
  };
}

/** What stays of stored fields: those that the last manifest did not have. The fields of the new one are added. */
export function mergedFields(stored: JsonObject, last: JsonObject, written: JsonObject): JsonObject {
  const kept = Object.entries(stored).filter(([key]) => !Object.hasOwn(last, key));
  return { ...Object.fromEntries(kept), ...written };
}

/** The manifest that `kubectl apply` wrote last; undefined if something else writes the object. */
export function lastApplied(live: unknown): JsonObject | undefined {
  const text = annotationsOf(live)['kubectl.kubernetes.io/last-applied-configuration'];
  if (typeof text !== 'string') return undefined;
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
