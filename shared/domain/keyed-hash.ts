import { createHash, createHmac, hash } from 'node:crypto';

/** Of SHA-256, in bytes. */
const blockBytes = 64;
const hashBytes = 32;

/** What is longer is hashed part by part. */
const pieceBytes = 32 * 1024;

/**
 * HMAC-SHA-256, as the two hashes that it is defined by, each made in one call: for most of what a cluster holds, to set up
 * an `Hmac` and to have it collected takes longer than to hash the bytes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc2104
 */
export class KeyedHash {
  readonly #key: Buffer;
  /** The key for the inner hash; the message is put behind it. */
  readonly #inner = Buffer.alloc(blockBytes + pieceBytes);
  /** The key for the outer hash; the inner hash is put behind it. */
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

  /** Of the parts one after another; 32 characters of Latin-1, one for each byte. */
  of(...parts: readonly Buffer[]): string {
    let end = blockBytes;
    for (const part of parts) {
      if (end + part.length > this.#inner.length) return this.#ofLong(parts);
      end += part.copy(this.#inner, end);
    }
    this.#outer.write(hash('sha256', this.#inner.subarray(0, end), 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, 'binary');
  }

  #ofLong(parts: readonly Buffer[]): string {
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('binary');
  }
}
