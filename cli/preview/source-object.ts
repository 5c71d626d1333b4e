import { annotationsOf, type Annotations } from '../../shared/domain/annotations/annotations';
import { fieldAt, objectOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import type { Labels } from '../../shared/domain/kubernetes/selector';

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

/** Why the API server would refuse the content of a manifest, with the field. Quotes no value. */
export function contentProblems(
  kind: EditedKind,
  object: unknown,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
  return contentFields[kind].flatMap(([field, encoding]) =>
    Object.entries(objectOf(fieldAt(object, [field]))).flatMap(([key, value]) => {
      const message = problemOf(value, encoding) ?? (isContentKey(key) ? undefined : contentKeys);
      return message === undefined
        ? []
        : [{ path: [field, key], message: `the API server refuses ${field}.${key}: ${message}` }];
    }),
  );
}

/** What the API server takes for a key of a ConfigMap or Secret, in words. */
export const contentKeys = 'keys have letters, digits, "-", "_" and ".", at most 253, and do not begin with ".."';

export function isContentKey(key: string): boolean {
  return /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/.test(key);
}

function problemOf(value: unknown, encoding: Encoding): string | undefined {
  // An empty field, which is an empty value.
  if (value === null) return undefined;
  if (typeof value !== 'string') return 'it is no text; put the value into quotes';
  if (encoding === 'utf8' || isBase64(value)) return undefined;
  return 'it is not in base64';
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
