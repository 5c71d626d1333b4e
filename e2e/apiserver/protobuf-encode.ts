import { byCodeUnits, isArray, isObject, stringAt, textOf, type JsonObject, type JsonValue } from './json';
import { type FieldSchema, messageSchemas } from './protobuf-schema';

/** The prefix of every protobuf body of the API server. */
const magic = Buffer.from('k8s\0', 'latin1');

export function isProtobufKind(kind: string): boolean {
  return messageSchemas[kind] !== undefined;
}

/** A whole body: the magic, and `Unknown {1: TypeMeta {1: apiVersion, 2: kind}, 2: the object}`. */
export function encodeProtobuf(kind: string, object: JsonObject): Buffer {
  const typeMeta = [...stringField(1, stringAt(object, 'apiVersion') ?? ''), ...stringField(2, kind)];
  return Buffer.concat([
    magic,
    ...lengthDelimited(1, Buffer.concat(typeMeta)),
    ...lengthDelimited(2, encodeMessage(kind, object)),
    ...stringField(3, ''),
    ...stringField(4, ''),
  ]);
}

/** A frame of a watch: its length in 4 bytes, then `WatchEvent {1: type, 2: RawExtension {1: the object's body}}`. */
export function encodeProtobufWatchEvent(type: string, object: Buffer): Buffer {
  const raw = Buffer.concat(lengthDelimited(1, object));
  const event = Buffer.concat([...stringField(1, type), ...lengthDelimited(2, raw)]);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function encodeMessage(name: string, object: JsonObject): Buffer {
  const parts: Buffer[] = [];
  for (const [key, field] of Object.entries(messageSchemas[name] ?? {})) {
    const value = object[key];
    if (value === undefined || value === null) continue;
    const values = field.repeated === true && isArray(value) ? value : [value];
    // Not spread into one `push` call: a map may have a hundred thousand entries, too many for arguments.
    for (const one of values) for (const part of encodeField(field, one)) parts.push(part);
  }
  return Buffer.concat(parts);
}

function encodeField({ number, type }: FieldSchema, value: JsonValue): readonly Buffer[] {
  if (typeof type === 'object') {
    if (!isObject(value)) return [];
    if ('message' in type) return lengthDelimited(number, encodeMessage(type.message, value));
    return Object.keys(value)
      .sort(byCodeUnits)
      .flatMap((key) => lengthDelimited(number, mapEntry(key, stringAt(value, key) ?? '', type.map)));
  }
  switch (type) {
    case 'string':
      return stringField(number, textOf(value));
    case 'bytes':
      return lengthDelimited(number, Buffer.from(textOf(value), 'base64'));
    case 'raw':
      return lengthDelimited(number, Buffer.concat(lengthDelimited(1, Buffer.from(JSON.stringify(value)))));
    case 'int':
      return [varint(number << 3), varint(Number(value))];
    case 'bool':
      return [varint(number << 3), varint(value === true ? 1 : 0)];
    case 'time':
      return lengthDelimited(number, timeMessage(textOf(value)));
  }
}

function mapEntry(key: string, value: string, type: 'string' | 'bytes'): Buffer {
  return Buffer.concat([
    ...stringField(1, key),
    ...lengthDelimited(2, Buffer.from(value, type === 'bytes' ? 'base64' : 'utf8')),
  ]);
}

/** `{1: seconds, 2: nanos}` since the epoch. MicroTime has six decimals; a Date would truncate them to three. */
function timeMessage(text: string): Buffer {
  const seconds = Math.floor(Date.parse(text) / 1000);
  const decimals = /\.(\d+)/.exec(text)?.[1] ?? '';
  return Buffer.concat([varint(1 << 3), varint(seconds), varint(2 << 3), varint(Number(decimals.padEnd(9, '0')))]);
}

function stringField(number: number, text: string): readonly Buffer[] {
  return lengthDelimited(number, Buffer.from(text, 'utf8'));
}

function lengthDelimited(number: number, payload: Buffer): readonly Buffer[] {
  return [varint((number << 3) | 2), varint(payload.length), payload];
}

/** `value` must not be negative and must be below 2^53. */
function varint(value: number): Buffer {
  const digits: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    digits.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  digits.push(rest);
  return Buffer.from(digits);
}
