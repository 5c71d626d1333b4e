import type { ContentDigest, ContentDigester } from '../../shared/domain/sources/content-digest';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { metadataFromJson, type ObjectMetadata } from '../../shared/kube/wire/object-metadata';
import { entriesFromJson } from '../../shared/kube/sources/source-decoder';
import type { AdmissionRequest } from './admission-review';

/** The raw bytes of each key. */
export type Content = ReadonlyMap<string, Buffer>;

/** What a request writes to a ConfigMap or Secret. */
export interface WrittenSource {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  /** Empty where the server has yet to give one. */
  readonly name: string;
  readonly metadata: ObjectMetadata;
  /** The server's; a PUT need not tell it. Empty where there is none yet. */
  readonly uid: string;
  /** Empty for a creation. */
  readonly before: Content;
  readonly after: Content;
}

const readSources = new WeakMap<AdmissionRequest, WrittenSource>();
const digests = new WeakMap<WrittenSource, ContentDigest>();

/** Reads the request once, however many duties look at it. @throws MalformedObjectError on a review that no API server sends. */
export function writtenSource(request: AdmissionRequest, kind: WrittenSource['kind']): WrittenSource {
  const known = readSources.get(request);
  if (known) return known;
  const metadata = metadataFromJson(request.object);
  const source = {
    ...{ kind, metadata, namespace: request.namespace ?? metadata.namespace },
    name: metadata.name || (request.name ?? ''),
    uid: metadata.uid || (textOf(fieldAt(request.oldObject, ['metadata', 'uid'])) ?? ''),
    before: new Map(entriesFromJson(kind, metadata, request.oldObject)),
    after: new Map(entriesFromJson(kind, metadata, request.object)),
  };
  readSources.set(request, source);
  return source;
}

/** Digests what is written, once: there is one key in a process. */
export function digestOf(source: WrittenSource, digester: ContentDigester): ContentDigest {
  const known = digests.get(source);
  if (known) return known;
  const { kind, namespace, name, after } = source;
  const digest = digester.digest(kind, namespace, name, after);
  digests.set(source, digest);
  return digest;
}

/** Digests what the write replaces, which takes as long again: only who shows it as a proof needs it. */
export function digestBefore(source: WrittenSource, digester: ContentDigester): ContentDigest {
  const { kind, namespace, name, before } = source;
  return digester.digest(kind, namespace, name, before);
}

/** By the bytes: a digest of the old ones would be thrown away, and takes the most of the time. */
export function isUnchanged({ before, after }: WrittenSource): boolean {
  return before.size === after.size && [...before].every(([key, value]) => after.get(key)?.equals(value) === true);
}
