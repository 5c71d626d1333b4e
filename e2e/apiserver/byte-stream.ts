/** A body that is written while it is read. Leaving its loop early closes it. */
export class ByteStream implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  readonly #onClose: () => void;
  #state: 'open' | 'ended' | 'closed' = 'open';
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `onClose` is called once, when the writer ends or the reader leaves. */
  constructor(onClose: () => void = () => undefined) {
    this.#onClose = onClose;
  }

  push(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    this.#chunks.push(chunk);
    this.#notify();
  }

  /** What was pushed is still read. */
  end(): void {
    this.#finish('ended');
  }

  /** The reader gets what was pushed, and then the error. */
  fail(error: Error): void {
    if (this.#state !== 'open') return;
    this.#failure = error;
    this.#finish('ended');
  }

  /** Drops what was not read. */
  close(): void {
    this.#chunks.length = 0;
    this.#finish('closed');
  }

  /** Not a generator: one that waits for a chunk could not be left before the chunk comes. */
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

/** A body that is known as a whole. */
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
