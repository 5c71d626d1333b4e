import { readBearerGates } from '../../domain/gate-settings/bearer-gates';
import { gateAnnotationKeys } from '../../domain/gate-settings/gate-settings';
import { isObject, objectOf } from '../../domain/kubernetes/json-value';
import type { EncodedContent, SourceDigester } from '../../domain/sources/content-digest';
import { objectKey } from '../../domain/kubernetes/object-key';
import { sourceKey, type DigestedSource, type SourceKind, type SourceRecord } from '../../domain/sources/source';
import type { Decoded, Decoder } from '../wire/decoder';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import {
  identityOf,
  mapEntry,
  metadataFromJson,
  metadataFromProtobuf,
  type ObjectMetadata,
  requireIdentity,
} from '../wire/object-metadata';
import { protobufFields } from '../wire/protobuf';
import { secretProviderClassPodStatuses } from './csi-decoder';
import { configMaps, type Resource, secrets } from '../resource';

/** Keys of the annotations that concern a source as a whole. */
export interface SourceAnnotationKeys {
  readonly ignore: string;
  readonly match: string;
}

type Entry = readonly [string, Buffer];

/**
 * The fields with content in each encoding.
 *
 *     ConfigMap {2: data map<string, string>, 3: binaryData map<string, bytes>}
 *     Secret    {2: data map<string, bytes>, 3: type}
 */
const contentFields = {
  ConfigMap: { protobuf: [2, 3], json: { data: 'utf8', binaryData: 'base64' } },
  Secret: { protobuf: [2], json: { data: 'base64' } },
} as const;

/** Lists omit the content: a cluster has a hundred times more content than its workloads use. */
export interface SourceDecoder extends Decoder<SourceRecord> {
  fromJson(object: unknown): Decoded<DigestedSource>;
  fromProtobuf(bytes: Buffer): Decoded<DigestedSource>;
  readonly metadata: Decoder<SourceRecord>;
}

/**
 * Digests a ConfigMap or Secret while decoding: the content is hashed and dropped. Both encodings give the same
 * digests.
 */
export function sourceDecoder(
  kind: 'ConfigMap' | 'Secret',
  digester: SourceDigester,
  keys: SourceAnnotationKeys,
): SourceDecoder {
  const wantedAnnotations = [keys.ignore, keys.match, ...gateAnnotationKeys];

  const listed = (metadata: ObjectMetadata): Decoded<SourceRecord & { readonly content: 'metadata-only' }> => {
    const { name, namespace, uid, resourceVersion, createdAtMs, writtenAtMs, annotations } = metadata;
    requireIdentity(metadata);
    if (createdAtMs === undefined) throw malformed(kind, metadata, 'has no metadata.creationTimestamp');
    // Nearly all of a hundred thousand sources have none of these annotations.
    const gates = annotations.size === 0 ? undefined : readBearerGates(Object.fromEntries(annotations), 'source');
    const object = {
      kind,
      namespace,
      name,
      uid,
      resourceVersion,
      createdAtMs,
      writtenAtMs,
      ignore: annotations.get(keys.ignore) === 'true',
      match: annotations.get(keys.match) === 'true',
      ...(gates && { gates }),
      content: 'metadata-only' as const,
    };
    return { key: objectKey(namespace, name), uid, resourceVersion, object };
  };

  const decoded = (metadata: ObjectMetadata, content: EncodedContent): Decoded<DigestedSource> => {
    const { object, ...identity } = listed(metadata);
    const isParsed = object.gates?.compare === 'parsed';
    return { ...identity, object: { ...object, content: digester.digest(object, content, isParsed) } };
  };

  return {
    accepts: 'protobuf',
    fromJson(object) {
      const metadata = metadataFromJson(object, wantedAnnotations);
      return decoded(metadata, jsonContent(kind, metadata, object));
    },
    fromProtobuf: (bytes) => decoded(metadataFromProtobuf(bytes, wantedAnnotations), protobufContent(kind, bytes)),
    metadata: {
      accepts: 'metadata',
      fromJson: (object) => listed(metadataFromJson(object, wantedAnnotations)),
      fromProtobuf: (bytes) => listed(metadataFromProtobuf(bytes, wantedAnnotations)),
    },
  };
}

/** Creates one decoder for each kind. */
export function sourceDecoders(
  digester: SourceDigester,
  keys: SourceAnnotationKeys,
): Readonly<Record<'ConfigMap' | 'Secret', SourceDecoder>> {
  return { ConfigMap: sourceDecoder('ConfigMap', digester, keys), Secret: sourceDecoder('Secret', digester, keys) };
}

function protobufContent(kind: 'ConfigMap' | 'Secret', object: Buffer): EncodedContent {
  const wanted: readonly number[] = contentFields[kind].protobuf;
  return {
    *[Symbol.iterator]() {
      for (const field of protobufFields(object)) if (wanted.includes(field.number)) yield mapEntry(field);
    },
    keyCount() {
      let count = 0;
      for (const field of protobufFields(object)) if (wanted.includes(field.number)) count++;
      return count;
    },
    encoded() {
      let [start, end] = [object.length, 0];
      for (const field of protobufFields(object)) {
        if (!wanted.includes(field.number)) continue;
        const { byteOffset, length } = field.bytes;
        start = Math.min(start, byteOffset - object.byteOffset);
        end = byteOffset - object.byteOffset + length;
      }
      return object.subarray(start, end);
    },
  };
}

function jsonContent(kind: 'ConfigMap' | 'Secret', metadata: ObjectMetadata, object: unknown): EncodedContent {
  const maps = Object.keys(contentFields[kind].json).map((field) => objectOf(objectOf(object)[field]));
  return {
    [Symbol.iterator]: () => entriesFromJson(kind, metadata, object),
    keyCount: () => maps.reduce((sum, map) => sum + Object.keys(map).length, 0),
    encoded: () => Buffer.from(JSON.stringify(maps)),
  };
}

/**
 * The raw bytes of each key, for a digest.
 * @throws MalformedObjectError if it is not a map of strings; the message names the key and never the value.
 */
export function* entriesFromJson(
  kind: 'ConfigMap' | 'Secret',
  metadata: ObjectMetadata,
  object: unknown,
): Generator<Entry> {
  for (const [field, encoding] of Object.entries(contentFields[kind].json)) {
    const map = isObject(object) ? object[field] : undefined;
    if (map === undefined || map === null) continue;
    if (!isObject(map)) throw malformed(kind, metadata, `has ${field} that is not a map`);
    for (const [key, value] of Object.entries(map)) {
      if (typeof value !== 'string')
        throw malformed(kind, metadata, `has a ${field} entry "${key}" that is not a string`);
      yield [key, Buffer.from(value, encoding)];
    }
  }
}

function malformed(kind: 'ConfigMap' | 'Secret', metadata: ObjectMetadata, what: string): MalformedObjectError {
  const source = sourceKey({ kind, namespace: metadata.namespace, name: metadata.name });
  return new MalformedObjectError(`${source} ${what}`, identityOf(metadata));
}

/**
 * The resource that holds the content of each kind of source. For a SecretProviderClass, that is the
 * SecretProviderClassPodStatuses of the pods that mount it.
 */
export const sourceResources = {
  ConfigMap: configMaps,
  Secret: secrets,
  SecretProviderClass: secretProviderClassPodStatuses,
} as const satisfies Readonly<Record<SourceKind, Resource>>;
