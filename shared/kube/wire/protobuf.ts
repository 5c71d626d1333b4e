import { ProtocolError } from '../errors';

export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const maxVarintBytes = 10;

/**
 * One field of a message: a number for varints, bytes for length-delimited fields. It is valid until the next field is
 * read, so keep its values and not the field.
 */
export interface ProtobufField {
  readonly number: number;
  /** The value of a varint field; 0 for others. */
  readonly varint: number;
  /** Bytes of a length-delimited field, as a view of the message: copy what you keep. Empty for others. */
  readonly bytes: Buffer;
  /** The same bytes as text: a copy, made without a view. */
  readonly text: string;
  /** Iterates over the message that it holds, like {@link protobufFields}. */
  fields(): Iterable<ProtobufField>;
}

/** A varint and the offset after it; undefined if it is not complete before `end`. */
export function readVarint(
  bytes: Buffer,
  offset: number,
  end = bytes.length,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < maxVarintBytes; index++) {
    const byte = offset + index < end ? bytes[offset + index] : undefined;
    if (byte === undefined) return undefined;
    // Beyond 53 bits a double loses digits, but no real timestamp or generation is that large.
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  throw new ProtocolError('protobuf: a varint of more than 10 bytes');
}

/**
 * Iterates over the fields of one message in their order; the caller skips unknown ones.
 *
 * Every length is checked before it is used.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 * @throws ProtocolError if the bytes are not a message.
 */
export function protobufFields(message: Buffer): Iterable<ProtobufField> {
  return new FieldWalk(message, 0, message.length);
}

/**
 * One object serves as the iterator and as all of its fields: a large cluster has millions of fields, so none may
 * allocate.
 */
class FieldWalk implements Iterable<ProtobufField>, Iterator<ProtobufField, undefined>, ProtobufField {
  number = 0;
  varint = 0;
  readonly #message: Buffer;
  readonly #end: number;
  #offset: number;
  #fieldStart = 0;
  #fieldEnd = 0;
  readonly #field = { done: false, value: this } as const;

  constructor(message: Buffer, start: number, end: number) {
    this.#message = message;
    this.#offset = start;
    this.#end = end;
  }

  [Symbol.iterator](): this {
    return this;
  }

  get bytes(): Buffer {
    return this.#message.subarray(this.#fieldStart, this.#fieldEnd);
  }

  get text(): string {
    return this.#message.toString('utf8', this.#fieldStart, this.#fieldEnd);
  }

  fields(): Iterable<ProtobufField> {
    return new FieldWalk(this.#message, this.#fieldStart, this.#fieldEnd);
  }

  next(): IteratorResult<ProtobufField, undefined> {
    while (this.#offset < this.#end) {
      const tag = this.#varint();
      this.number = Math.floor(tag / 8);
      this.varint = this.#fieldStart = this.#fieldEnd = 0;
      if (this.number === 0) throw new ProtocolError('protobuf: field number 0');
      switch (tag % 8) {
        case wireType.varint:
          this.varint = this.#varint();
          return this.#field;
        case wireType.bytes: {
          const length = this.#varint();
          this.#fieldStart = this.#offset;
          this.#skip(length);
          this.#fieldEnd = this.#offset;
          return this.#field;
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

/** The bytes of the last field with that number, or undefined: later ones win, as the format specifies. */
export function protobufBytes(message: Buffer, number: number): Buffer | undefined {
  let found: Buffer | undefined;
  for (const field of protobufFields(message)) if (field.number === number) found = field.bytes;
  return found;
}
