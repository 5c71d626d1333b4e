/** Bytes that arrived and were not used yet; takes chunks as they come, without joining them until asked to. */
export class ByteQueue {
  readonly #chunks: Buffer[] = [];
  /** Bytes of the first chunk that are used up. */
  #offset = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Up to `count` of the next bytes, which stay in the queue. */
  peek(count: number): Buffer {
    const first = this.#chunks[0];
    if (first && first.length - this.#offset >= count) return first.subarray(this.#offset, this.#offset + count);
    const wanted = Math.min(count, this.#length);
    const joined = Buffer.allocUnsafe(wanted);
    let filled = 0;
    for (let index = 0; filled < wanted; index++) {
      const chunk = this.#chunks[index];
      if (!chunk) break;
      filled += chunk.copy(joined, filled, index === 0 ? this.#offset : 0);
    }
    return joined;
  }

  /** The next `count` bytes, which must be there; maybe a view into a chunk. */
  take(count: number): Buffer {
    const bytes = this.peek(count);
    this.discard(count);
    return bytes;
  }

  /** Drops up to `count` bytes and returns how many there were. */
  discard(count: number): number {
    const discarded = Math.min(count, this.#length);
    this.#length -= discarded;
    this.#offset += discarded;
    let used = 0;
    for (let first = this.#chunks[used]; first && this.#offset >= first.length; first = this.#chunks[used]) {
      this.#offset -= first.length;
      used++;
    }
    this.#chunks.splice(0, used);
    return discarded;
  }
}
