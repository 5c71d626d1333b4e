import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { ContentDigest, ContentDigester } from '../../shared/domain/sources/content-digest';
import type { SourceRef } from '../../shared/domain/sources/source';
import { budgets } from '../../shared/domain/budgets';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import { metadataFromJson, type ObjectMetadata } from '../../shared/kube/wire/object-metadata';
import { entriesFromJson } from '../../shared/kube/sources/source-decoder';
import type { AdmissionRequest } from './admission-review';

/** The raw bytes of each key. */
export type Content = ReadonlyMap<string, Buffer>;

/** The ConfigMap or Secret that a request writes. */
export interface WrittenSource extends SourceRef<'ConfigMap' | 'Secret'> {
  /** Empty until the server has generated one. */
  readonly name: string;
  readonly metadata: ObjectMetadata;
  /** From the stored object if a PUT omits it. Empty if there is none yet. */
  readonly uid: string;
  /** Empty for a CREATE. */
  readonly before: Content;
  readonly after: Content;
  /** It is compared parsed. */
  readonly isParsed: boolean;
}

/** The names of the keys of a ConfigMap or Secret; no value is read. */
export function keyNamesIn(object: unknown): readonly string[] {
  return ['data', 'binaryData'].flatMap((field) => Object.keys(objectOf(fieldAt(object, [field]))));
}

/** Too many keys to look at each. The digest then depends on the encoding, so a reconciler would not recognise ours. */
export function isOversized({ object, oldObject }: AdmissionRequest): boolean {
  return [object, oldObject].some((state) => keyNamesIn(state).length > budgets.sourceKeysRead);
}

const readSources = new WeakMap<AdmissionRequest, WrittenSource>();
const digests = new WeakMap<WrittenSource, ContentDigest>();

/**
 * Reads the request once, however many plugins need it.
 * @throws MalformedObjectError on a review that no API server sends.
 */
export function writtenSource(request: AdmissionRequest, kind: WrittenSource['kind']): WrittenSource {
  const known = readSources.get(request);
  if (known) return known;
  const metadata = metadataFromJson(request.object, [gateAnnotations.compare]);
  const source = {
    ...{ kind, metadata, namespace: request.namespace ?? metadata.namespace },
    name: metadata.name || (request.name ?? ''),
    uid: metadata.uid || (textOf(fieldAt(request.oldObject, ['metadata', 'uid'])) ?? ''),
    before: new Map(entriesFromJson(kind, metadata, request.oldObject)),
    after: new Map(entriesFromJson(kind, metadata, request.object)),
    isParsed: metadata.annotations.get(gateAnnotations.compare) === 'parsed',
  };
  readSources.set(request, source);
  return source;
}

/** Digests the new content once: a process has one digest key. */
export function digestOf(source: WrittenSource, digester: ContentDigester): ContentDigest {
  const known = digests.get(source);
  if (known) return known;
  const digest = digester.digest(source, source.after);
  digests.set(source, digest);
  return digest;
}

/** Digests the new content as it is compared. Only a preview needs that, and parsers take much longer than a digest. */
export function comparedDigestOf(source: WrittenSource, digester: ContentDigester): ContentDigest {
  return source.isParsed ? digester.digest(source, source.after, true) : digestOf(source, digester);
}

/** Digests the old content. Only a preview needs that, to prove what the writer knows. */
export function digestBefore(source: WrittenSource, digester: ContentDigester): ContentDigest {
  return digester.digest(source, source.before);
}

/** Compares the bytes: a digest of the old ones would be used for nothing else, and takes most of the time. */
export function isUnchanged({ before, after }: WrittenSource): boolean {
  return before.size === after.size && [...before].every(([key, value]) => after.get(key)?.equals(value) === true);
}
