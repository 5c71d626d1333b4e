import { openEnvelope } from '../../shared/kube/wire/protobuf-envelope';
import { type ProtobufField, protobufBytes, protobufFields } from '../../shared/kube/wire/protobuf';
import type { JsonObject, JsonValue } from './json';
import { type FieldSchema, messageSchemas } from './protobuf-schema';
import { badRequest } from './status';

/**
 * Decodes the protobuf body of a write, as `kubectl create` sends it.
 *
 * @throws StatusError 400 if the bytes are not such an object.
 */
export function decodeProtobuf(kind: string, body: Buffer): JsonObject {
  try {
    return decodeMessage(kind, openEnvelope(body));
  } catch (error) {
    throw badRequest(`couldn't decode the ${kind}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Leaves out empty strings and zeros: Go writes them for fields that JSON omits. */
function decodeMessage(name: string, message: Buffer): JsonObject {
  const fields = new Map(
    Object.entries(messageSchemas[name] ?? {}).map(([key, field]) => [field.number, { key, field }]),
  );
  const object: Record<string, JsonValue> = {};
  for (const present of protobufFields(message)) {
    const known = fields.get(present.number);
    if (known === undefined) continue;
    const { key, field } = known;
    if (typeof field.type === 'object' && 'map' in field.type) {
      object[key] = { ...(object[key] as JsonObject | undefined), ...decodeEntry(present.bytes, field.type.map) };
      continue;
    }
    const value = decodeValue(field, present);
    if (field.repeated === true) object[key] = [...((object[key] as readonly JsonValue[] | undefined) ?? []), value];
    else if (value !== '' && value !== 0) object[key] = value;
  }
  return object;
}

function decodeValue({ type }: FieldSchema, { bytes, varint }: ProtobufField): JsonValue {
  if (typeof type === 'object') return 'message' in type ? decodeMessage(type.message, bytes) : {};
  switch (type) {
    case 'string':
      return bytes.toString('utf8');
    case 'bytes':
      return bytes.toString('base64');
    case 'int':
      return varint;
    case 'bool':
      return varint === 1;
    case 'time':
      return decodeTime(bytes);
    case 'raw':
      return JSON.parse((protobufBytes(bytes, 1) ?? Buffer.from('{}')).toString('utf8')) as JsonValue;
  }
}

function decodeEntry(entry: Buffer, type: 'string' | 'bytes'): JsonObject {
  const key = protobufBytes(entry, 1)?.toString('utf8') ?? '';
  return { [key]: protobufBytes(entry, 2)?.toString(type === 'bytes' ? 'base64' : 'utf8') ?? '' };
}

/** Empty for zero seconds, which mean that no time is set. */
function decodeTime(message: Buffer): string {
  const fields = new Map(Array.from(protobufFields(message), ({ number, varint }) => [number, varint]));
  const seconds = fields.get(1) ?? 0;
  const nanos = fields.get(2) ?? 0;
  if (seconds === 0) return '';
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return nanos === 0 ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}
