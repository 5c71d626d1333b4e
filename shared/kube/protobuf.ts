import { ProtocolError } from './errors';

export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const maxVarintBytes = 10;

/** One field of a message: a number for varints, bytes for what is length-delimited. */
export class ProtobufField {
  readonly number: number;
  /** Value of a varint field; 0 for others. */
  readonly varint: number;
  readonly #message: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(number: number, varint: number, message: Buffer, start: number, end: number) {
    this.number = number;
    this.varint = varint;
    this.#message = message;
    this.#start = start;
    this.#end = end;
  }

  /** Bytes of a length-delimited field, a view into the message: copy what you keep. Empty for others. */
  get bytes(): Buffer {
    return this.#message.subarray(this.#start, this.#end);
  }

  /** Those bytes as text: a copy, made without a view. */
  get text(): string {
    return this.#message.toString('utf8', this.#start, this.#end);
  }

  /** Walks the message that it holds, as {@link protobufFields} does. */
  fields(): Iterable<ProtobufField> {
    return new FieldWalk(this.#message, this.#start, this.#end);
  }
}

/** A varint and the offset behind it; undefined when it is not whole before `end`. */
export function readVarint(
  bytes: Buffer,
  offset: number,
  end = bytes.length,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < maxVarintBytes; index++) {
    const byte = offset + index < end ? bytes[offset + index] : undefined;
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
export function protobufFields(message: Buffer): Iterable<ProtobufField> {
  return new FieldWalk(message, 0, message.length);
}

/** No generator: a large cluster has millions of fields, and nothing here may cost more than its bytes. */
class FieldWalk implements Iterable<ProtobufField>, Iterator<ProtobufField, undefined> {
  readonly #message: Buffer;
  readonly #end: number;
  #offset: number;

  constructor(message: Buffer, start: number, end: number) {
    this.#message = message;
    this.#offset = start;
    this.#end = end;
  }

  [Symbol.iterator](): Iterator<ProtobufField, undefined> {
    return this;
  }

  next(): IteratorResult<ProtobufField, undefined> {
    while (this.#offset < this.#end) {
      const tag = this.#varint();
      const number = Math.floor(tag / 8);
      if (number === 0) throw new ProtocolError('protobuf: field number 0');
      switch (tag % 8) {
        case wireType.varint:
          return { done: false, value: new ProtobufField(number, this.#varint(), this.#message, 0, 0) };
        case wireType.bytes: {
          const length = this.#varint();
          const start = this.#offset;
          this.#skip(length);
          return { done: false, value: new ProtobufField(number, 0, this.#message, start, this.#offset) };
        }
        case wireType.fixed64:
          this.#skip(8);
          break;
        case wireType.fixed32:
          this.#skip(4);
          break;
        default:
          throw new ProtocolError(`protobuf: wire type ${tag % 8} is not in use`);
      }
    }
    return { done: true, value: undefined };
  }

  #skip(bytes: number): void {
    this.#offset += bytes;
    if (this.#offset > this.#end) throw new ProtocolError('protobuf: a field reaches beyond the end of its message');
  }

  #varint(): number {
    const first = this.#offset < this.#end ? this.#message[this.#offset] : undefined;
    if (first !== undefined && first < 0x80) {
      this.#offset++;
      return first;
    }
    const varint = readVarint(this.#message, this.#offset, this.#end);
    if (!varint) throw new ProtocolError('protobuf: the message ends within a varint');
    this.#offset = varint.end;
    return varint.value;
  }
}

/** The bytes of the last field of that number, or undefined: later ones win, as the format has it. */
export function protobufBytes(message: Buffer, number: number): Buffer | undefined {
  let found: ProtobufField | undefined;
  for (const field of protobufFields(message)) if (field.number === number) found = field;
  return found?.bytes;
}
