/** Large enough for all but the largest objects, together with the chunk that completes them. */
const usualBytes = 64 * 1024;

/**
 * A queue of unread bytes, kept in one piece.
 *
 * It reuses one buffer, because a buffer for each of the objects that a large cluster sends at first would cost more
 * than processing them. It therefore returns views, which are valid until the next `append`.
 */
export class ByteQueue {
  #buffer = Buffer.allocUnsafeSlow(usualBytes);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  append(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    this.#end += chunk.copy(this.#buffer, this.#end);
  }

  /** Up to `count` of the next bytes, which stay in the queue. */
  peek(count: number): Buffer {
    return this.#buffer.subarray(this.#start, Math.min(this.#start + count, this.#end));
  }

  /** The next four bytes as a big-endian number; they must be there, and stay in the queue. */
  peekUint32(): number {
    return this.#buffer.readUInt32BE(this.#start);
  }

  /** The next `count` bytes, which must be there. */
  take(count: number): Buffer {
    const bytes = this.peek(count);
    this.discard(count);
    return bytes;
  }

  /** Drops up to `count` bytes and returns how many there were. */
  discard(count: number): number {
    const discarded = Math.min(count, this.length);
    this.#start += discarded;
    return discarded;
  }

  /** Moves the bytes to the front of a buffer that is large enough, and that has the usual size if possible. */
  #makeRoom(bytes: number): void {
    const needed = this.length + bytes;
    const fits = needed <= this.#buffer.length && (needed > usualBytes || this.#buffer.length === usualBytes);
    const target = fits ? this.#buffer : Buffer.allocUnsafeSlow(Math.max(usualBytes, 2 * needed));
    this.#buffer.copy(target, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = target;
  }
}
