import { isObject, listOf, objectOf } from '../../domain/kubernetes/json-value';
import { objectKey } from '../../domain/kubernetes/object-key';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import { protobufFields, type ProtobufField } from './protobuf';

/** The parsed part of an object's metadata. Strings are copies, never slices of the input. */
export interface ObjectMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined if the server sent none, as on a bookmark. */
  readonly createdAtMs: number | undefined;
  /** The newest time in managedFields. */
  readonly writtenAtMs: number | undefined;
  /**
   * The requested annotations. Others are skipped: `last-applied-configuration` holds the whole content of a Secret.
   */
  readonly annotations: ReadonlyMap<string, string>;
}

interface MutableMetadata {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  createdAtMs: number | undefined;
  writtenAtMs: number | undefined;
  readonly annotations: Map<string, string>;
}

const noBytes = Buffer.alloc(0);

function emptyMetadata(): MutableMetadata {
  return {
    name: '',
    namespace: '',
    uid: '',
    resourceVersion: '',
    createdAtMs: undefined,
    writtenAtMs: undefined,
    annotations: new Map(),
  };
}

/** @throws MalformedObjectError if there is no metadata, or a field in it has the wrong type. */
export function metadataFromJson(object: unknown, wantedAnnotations: readonly string[] = []): ObjectMetadata {
  const json = recordIn(object, 'metadata');
  if (!json) throw new MalformedObjectError('the object has no metadata');
  const metadata = emptyMetadata();
  metadata.name = textIn(json, 'name');
  metadata.namespace = textIn(json, 'namespace');
  metadata.uid = textIn(json, 'uid');
  metadata.resourceVersion = textIn(json, 'resourceVersion');
  metadata.createdAtMs = timeOf(json['creationTimestamp']);
  for (const entry of listOf(json['managedFields'])) {
    metadata.writtenAtMs = newest(metadata.writtenAtMs, timeOf(objectOf(entry)['time']));
  }
  const annotations = recordIn(json, 'annotations') ?? {};
  for (const name of wantedAnnotations) {
    const value = annotations[name];
    if (typeof value === 'string') metadata.annotations.set(name, value);
  }
  return metadata;
}

/**
 * Reads `ObjectMeta {1: name, 3: namespace, 5: uid, 6: resourceVersion, 8: creationTimestamp, 12: annotations, 17:
 * managedFields}`, which is field 1 of every object.
 * @throws ProtocolError if the bytes do not parse; MalformedObjectError if there is no metadata.
 */
export function metadataFromProtobuf(object: Buffer, wantedAnnotations: readonly string[] = []): ObjectMetadata {
  let message: Iterable<ProtobufField> | undefined;
  for (const field of protobufFields(object)) if (field.number === 1) message = field.fields();
  if (!message) throw new MalformedObjectError('the object has no metadata');
  const metadata = emptyMetadata();
  for (const field of message) {
    if (field.number === 1) metadata.name = field.text;
    if (field.number === 3) metadata.namespace = field.text;
    if (field.number === 5) metadata.uid = field.text;
    if (field.number === 6) metadata.resourceVersion = field.text;
    if (field.number === 8) metadata.createdAtMs = timeFromProtobuf(field);
    if (field.number === 12) {
      const [key, value] = mapEntry(field);
      if (wantedAnnotations.includes(key)) metadata.annotations.set(key, value.toString('utf8'));
    }
    if (field.number === 17) metadata.writtenAtMs = newest(metadata.writtenAtMs, managedFieldsTime(field));
  }
  return metadata;
}

/** Key and value of a map entry, `{1: key, 2: value}`; missing parts are empty. */
export function mapEntry(entry: ProtobufField): readonly [string, Buffer] {
  let key = '';
  let value: Buffer = noBytes;
  for (const field of entry.fields()) {
    if (field.number === 1) key = field.text;
    if (field.number === 2) value = field.bytes;
  }
  return [key, value];
}

/** Checks the fields that identify an object. @throws MalformedObjectError */
export function requireIdentity(metadata: ObjectMetadata): void {
  const { name, namespace, uid, resourceVersion } = metadata;
  // The namespace is not quoted: in a damaged frame it may be anything, even content of a Secret.
  if (name === '') throw new MalformedObjectError('the object has no metadata.name', identityOf(metadata));
  const missing = uid === '' ? 'uid' : resourceVersion === '' ? 'resourceVersion' : undefined;
  if (missing === undefined) return;
  throw new MalformedObjectError(`the object "${namespace}/${name}" has no metadata.${missing}`, identityOf(metadata));
}

/** The part of an object's identity that can be read, for an error about the object. */
export function identityOf({ name, namespace, resourceVersion }: ObjectMetadata): {
  readonly key: string | undefined;
  readonly resourceVersion: string | undefined;
} {
  return {
    key: name === '' ? undefined : objectKey(namespace, name),
    resourceVersion: resourceVersion === '' ? undefined : resourceVersion,
  };
}

function recordIn(value: unknown, field: string): Readonly<Record<string, unknown>> | undefined {
  const found = objectOf(value)[field];
  return isObject(found) ? found : undefined;
}

function textIn(metadata: Readonly<Record<string, unknown>>, field: string): string {
  const value = metadata[field];
  return typeof value === 'string' ? value : '';
}

function timeOf(value: unknown): number | undefined {
  const timeMs = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** `Time {1: seconds}`; the nanoseconds are always 0. */
function timeFromProtobuf(time: ProtobufField): number | undefined {
  for (const { number, varint } of time.fields()) if (number === 1) return varint * 1000;
  return undefined;
}

/** `ManagedFieldsEntry {4: time}`. */
function managedFieldsTime(entry: ProtobufField): number | undefined {
  for (const field of entry.fields()) if (field.number === 4) return timeFromProtobuf(field);
  return undefined;
}

function newest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : right === undefined ? left : Math.max(left, right);
}
