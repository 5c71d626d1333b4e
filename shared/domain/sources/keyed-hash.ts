import { createHash, createHmac, hash } from 'node:crypto';

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;
const hashBytes = 32;

/** A message of up to this size is hashed in one piece. */
const pieceBytes = 32 * 1024;
const lengthBytes = 4;
const maxUtf8Bytes = 3;

/**
 * HMAC-SHA-256 of a value under its names. It computes the two hashes that define an HMAC with one call each: for most
 * sources of a cluster, creating and collecting an `Hmac` object takes longer than hashing the bytes.
 *
 *     length of name, name, length of name, name, …, value        no list of names is a prefix of another
 *
 * @see https://www.rfc-editor.org/rfc/rfc2104
 */
export class KeyedHash {
  readonly #key: Buffer;
  /** The key for the inner hash, followed by the message. */
  readonly #inner = Buffer.alloc(blockBytes + pieceBytes);
  /** The key for the outer hash, followed by the inner hash. */
  readonly #outer = Buffer.alloc(blockBytes + hashBytes);

  constructor(key: Buffer) {
    this.#key = key;
    const short = key.length > blockBytes ? createHash('sha256').update(key).digest() : key;
    for (let index = 0; index < blockBytes; index++) {
      const byte = short[index] ?? 0;
      this.#inner[index] = byte ^ 0x36;
      this.#outer[index] = byte ^ 0x5c;
    }
  }

  /** 32 characters of Latin-1, one per byte. */
  of(names: readonly string[], value: Buffer): string {
    let end = blockBytes;
    for (const name of names) {
      if (end + lengthBytes + name.length * maxUtf8Bytes > this.#inner.length) return this.#ofLong(names, value);
      const bytes = this.#inner.write(name, end + lengthBytes, 'utf8');
      this.#inner.writeUInt32BE(bytes, end);
      end += lengthBytes + bytes;
    }
    if (end + value.length > this.#inner.length) return this.#ofLong(names, value);
    end += value.copy(this.#inner, end);
    this.#outer.write(hash('sha256', this.#inner.subarray(0, end), 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'binary');
  }

  /** The same for a value in many pieces, each of which is preceded by its name and its length. */
  stream(names: readonly string[]): HashStream {
    const hmac = createHmac('sha256', this.#key);
    for (const name of names) hmac.update(framed(name));
    return new HashStream(hmac);
  }

  #ofLong(names: readonly string[], value: Buffer): string {
    const hmac = createHmac('sha256', this.#key);
    for (const name of names) hmac.update(framed(name));
    return hmac.update(value).digest('binary');
  }
}

/** Small pieces are buffered: a hash call takes longer than the few bytes of a key. */
class HashStream {
  readonly #hmac: ReturnType<typeof createHmac>;
  readonly #gathered = Buffer.allocUnsafe(pieceBytes);
  #end = 0;

  constructor(hmac: ReturnType<typeof createHmac>) {
    this.#hmac = hmac;
  }

  add(name: string, value: Buffer): void {
    const mostBytes = 2 * lengthBytes + name.length * maxUtf8Bytes + value.length;
    if (mostBytes > this.#gathered.length - this.#end) this.#flush();
    if (mostBytes > this.#gathered.length) {
      this.#hmac.update(framed(name)).update(lengthOf(value.length)).update(value);
      return;
    }
    const nameStart = this.#end + lengthBytes;
    const nameBytes = this.#gathered.write(name, nameStart, 'utf8');
    this.#gathered.writeUInt32BE(nameBytes, this.#end);
    this.#gathered.writeUInt32BE(value.length, nameStart + nameBytes);
    const valueStart = nameStart + nameBytes + lengthBytes;
    this.#end = valueStart + value.copy(this.#gathered, valueStart);
  }

  /** 32 characters of Latin-1, one per byte. */
  digest(): string {
    this.#flush();
    return this.#hmac.digest('binary');
  }

  #flush(): void {
    this.#hmac.update(this.#gathered.subarray(0, this.#end));
    this.#end = 0;
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(bytes);
  return length;
}

/** A name preceded by its length. */
export function framed(name: string): Buffer {
  const room = Buffer.allocUnsafe(lengthBytes + name.length * maxUtf8Bytes);
  const bytes = room.write(name, lengthBytes, 'utf8');
  room.writeUInt32BE(bytes);
  return room.subarray(0, lengthBytes + bytes);
}
