import { ProtocolError } from './errors';

/** One field of a message: a number for varints, bytes for what is length-delimited. */
export interface ProtobufField {
  readonly number: number;
  /** Value of a varint field; 0 for others. */
  readonly varint: number;
  /** Bytes of a length-delimited field, a view into the message: copy what you keep. Empty for others. */
  readonly bytes: Buffer;
}

export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const maxVarintBytes = 10;
const noBytes = Buffer.alloc(0);

/** A varint and the offset behind it; undefined when `bytes` end before it does. */
export function readVarint(
  bytes: Buffer,
  offset: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < maxVarintBytes; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    // Beyond 53 bits a double loses digits; such values are timestamps or generations of no sane cluster.
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  throw new ProtocolError('protobuf: a varint of more than 10 bytes');
}

/**
 * Walks the fields of one message in the order they stand; unknown ones are the caller's to ignore.
 *
 * Every length is held against what is there before it is used.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 * @throws ProtocolError when the bytes are no message.
 */
export function* protobufFields(message: Buffer): Generator<ProtobufField> {
  let offset = 0;
  while (offset < message.length) {
    const tag = requireVarint(message, offset);
    const number = Math.floor(tag.value / 8);
    if (number === 0) throw new ProtocolError('protobuf: field number 0');
    switch (tag.value % 8) {
      case wireType.varint: {
        const varint = requireVarint(message, tag.end);
        offset = varint.end;
        yield { number, varint: varint.value, bytes: noBytes };
        break;
      }
      case wireType.bytes: {
        const length = requireVarint(message, tag.end);
        offset = length.end + length.value;
        requireWithin(message, offset);
        yield { number, varint: 0, bytes: message.subarray(length.end, offset) };
        break;
      }
      case wireType.fixed64:
        offset = tag.end + 8;
        requireWithin(message, offset);
        break;
      case wireType.fixed32:
        offset = tag.end + 4;
        requireWithin(message, offset);
        break;
      default:
        throw new ProtocolError(`protobuf: wire type ${tag.value % 8} is not in use`);
    }
  }
}

/** The last field of that number that has bytes, or undefined: later ones win, as the format has it. */
export function protobufBytes(message: Buffer, number: number): Buffer | undefined {
  let found: Buffer | undefined;
  for (const field of protobufFields(message)) if (field.number === number) found = field.bytes;
  return found;
}

function requireVarint(message: Buffer, offset: number): { readonly value: number; readonly end: number } {
  const varint = readVarint(message, offset);
  if (!varint) throw new ProtocolError('protobuf: the message ends within a varint');
  return varint;
}

function requireWithin(message: Buffer, end: number): void {
  if (end > message.length) throw new ProtocolError('protobuf: a field reaches beyond the end of its message');
}
