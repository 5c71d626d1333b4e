/** A body that is written while it is read. Breaking out of the `for await` loop closes it. */
export class ByteStream implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  readonly #onClose: () => void;
  #state: 'open' | 'ended' | 'closed' = 'open';
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `onClose` is called once, when the writer ends the stream or the reader stops reading. */
  constructor(onClose: () => void = () => undefined) {
    this.#onClose = onClose;
  }

  push(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    this.#chunks.push(chunk);
    this.#notify();
  }

  /** The reader still gets all chunks pushed before. */
  end(): void {
    this.#finish('ended');
  }

  /** The reader still gets all chunks pushed before, and then the error. */
  fail(error: Error): void {
    if (this.#state !== 'open') return;
    this.#failure = error;
    this.#finish('ended');
  }

  /** Drops all unread chunks. */
  close(): void {
    this.#chunks.length = 0;
    this.#finish('closed');
  }

  /** Not a generator: `return` on a generator that awaits a chunk would wait until the chunk arrives. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return {
      next: async () => await this.#next(),
      return: async () => {
        this.close();
        return await Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#state !== 'open') return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #finish(state: 'ended' | 'closed'): void {
    const wasOpen = this.#state === 'open';
    this.#state = state;
    this.#notify();
    if (wasOpen) this.#onClose();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/** A body whose bytes are all known in advance. */
export async function* wholeBody(bytes: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  if (bytes.length > 0) yield bytes;
}

/** Reads a body to its end. */
export async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
