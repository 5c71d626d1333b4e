import { objectOf, textOf } from '../../domain/kubernetes/json-value';
import { ProtocolError } from '../errors';
import { type ListMetadata, type ListSplitter, requireObjectSize } from './decoder';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openObject = 0x7b;
const closeObject = 0x7d;
const openArray = 0x5b;
const closeArray = 0x5d;

/** The expected next token, outside of a value. */
type Expect =
  | 'list' // {
  | 'key-or-end' // "key" or }
  | 'key'
  | 'colon'
  | 'field'
  | 'comma-or-end' // , or } behind a field
  | 'item-or-end' // { or ] behind the [ of items
  | 'item'
  | 'item-comma-or-end' // , or ] behind an item
  | 'nothing';

/**
 * Splits a JSON list, byte by byte. It only finds where values end; JSON.parse validates those that are used.
 *
 *     {"kind": …, "metadata": {…}, "items": [ {…}, {…} ]}
 *       └ field ┘  └ captured ──┘            └ item ┘      the order of the fields does not matter
 */
export class JsonList implements ListSplitter {
  #expect: Expect = 'list';
  readonly #value = new JsonValue();
  /** The value that is being read. */
  #reading: 'key' | 'field' | 'item' | undefined;
  #key = '';
  #itemsSeen = false;
  #metadata: ListMetadata | undefined;

  *push(chunk: Buffer): Generator<Buffer> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#reading) {
        offset = this.#value.read(chunk, offset);
        if (!this.#value.complete) return;
        const bytes = this.#value.take();
        const item = this.#reading === 'item';
        this.#finish(this.#reading, bytes);
        if (item) yield bytes;
        continue;
      }
      const byte = chunk[offset] ?? 0;
      if (isSpace(byte)) offset++;
      else offset = this.#punctuation(byte, offset);
    }
  }

  end(): ListMetadata {
    if (this.#expect !== 'nothing') throw new ProtocolError('JSON: the stream ended within a list');
    if (!this.#itemsSeen) throw new ProtocolError('JSON: the answer is not a list, it has no items');
    return this.#metadata ?? { resourceVersion: undefined, continue: undefined };
  }

  /** Processes one byte outside of values; the first byte of a value is left unread. */
  #punctuation(byte: number, offset: number): number {
    switch (this.#expect) {
      case 'list':
        return this.#accept(byte === openObject, 'key-or-end', offset);
      case 'key-or-end':
        if (byte === closeObject) return this.#accept(true, 'nothing', offset);
        return this.#begin('key', byte === quote, offset);
      case 'key':
        return this.#begin('key', byte === quote, offset);
      case 'colon':
        return this.#accept(byte === colon, 'field', offset);
      case 'field':
        if (this.#key !== 'items' || byte !== openArray) return this.#begin('field', true, offset);
        this.#itemsSeen = true;
        return this.#accept(true, 'item-or-end', offset);
      case 'comma-or-end':
        if (byte === closeObject) return this.#accept(true, 'nothing', offset);
        return this.#accept(byte === comma, 'key', offset);
      case 'item-or-end':
        if (byte === closeArray) return this.#accept(true, 'comma-or-end', offset);
        return this.#begin('item', byte === openObject, offset);
      case 'item':
        return this.#begin('item', byte === openObject, offset);
      case 'item-comma-or-end':
        if (byte === closeArray) return this.#accept(true, 'comma-or-end', offset);
        return this.#accept(byte === comma, 'item', offset);
      case 'nothing':
        return this.#accept(false, 'nothing', offset);
    }
  }

  #accept(allowed: boolean, next: Expect, offset: number): number {
    if (!allowed) throw new ProtocolError(`JSON: a list is malformed, expected ${this.#expect}`);
    this.#expect = next;
    return offset + 1;
  }

  #begin(what: 'key' | 'field' | 'item', allowed: boolean, offset: number): number {
    if (!allowed) throw new ProtocolError(`JSON: a list is malformed, expected ${this.#expect}`);
    this.#reading = what;
    return offset;
  }

  #finish(what: 'key' | 'field' | 'item', bytes: Buffer): void {
    this.#reading = undefined;
    switch (what) {
      case 'key':
        this.#key = String(parseValue(bytes));
        this.#expect = 'colon';
        break;
      case 'field':
        this.#takeField(bytes);
        this.#expect = 'comma-or-end';
        break;
      case 'item':
        this.#expect = 'item-comma-or-end';
        break;
    }
  }

  #takeField(bytes: Buffer): void {
    const value = parseValue(bytes);
    // Go encodes an empty slice as null.
    if (this.#key === 'items') {
      if (value !== null) throw new ProtocolError('JSON: the items of a list are not an array');
      this.#itemsSeen = true;
    }
    if (this.#key === 'metadata') this.#metadata = readListMeta(value);
  }
}

/** Delimits and collects one value across chunks. */
class JsonValue {
  #parts: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #scalar = false;
  #complete = false;

  get complete(): boolean {
    return this.#complete;
  }

  /** Continues reading; returns the offset after the bytes that it used. */
  read(chunk: Buffer, from: number): number {
    const end = this.#scan(chunk, from);
    this.#bytes += end - from;
    requireObjectSize(this.#bytes);
    this.#parts.push(chunk.subarray(from, end));
    return end;
  }

  /** The bytes of the complete value; resets for the next one. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    this.#scalar = false;
    this.#complete = false;
    return bytes;
  }

  #scan(chunk: Buffer, from: number): number {
    for (let offset = from; offset < chunk.length; offset++) {
      const byte = chunk[offset];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (this.#depth === 0) return this.#end(offset + 1);
        }
      } else if (byte === quote) {
        this.#inString = true;
      } else if (byte === openObject || byte === openArray) {
        this.#depth++;
      } else if (byte === closeObject || byte === closeArray) {
        // After a number or a literal: this is the closing bracket of the list.
        if (this.#scalar) return this.#end(offset);
        this.#depth--;
        if (this.#depth <= 0) return this.#end(offset + 1);
      } else if (this.#depth === 0) {
        if (byte === comma || isSpace(byte)) return this.#end(offset);
        this.#scalar = true;
      }
    }
    return chunk.length;
  }

  #end(offset: number): number {
    this.#depth = 0;
    this.#complete = true;
    return offset;
  }
}

function parseValue(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ProtocolError('JSON: a field of a list does not parse');
  }
}

function readListMeta(value: unknown): ListMetadata {
  const metadata = objectOf(value);
  return { resourceVersion: textOf(metadata['resourceVersion']), continue: textOf(metadata['continue']) };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
