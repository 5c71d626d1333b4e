import type { Clock } from '../clock';

/** How old the metrics of a process may be: rendering thousands of series takes milliseconds. */
export const renderedForMs = 1_000;

/**
 * An expensive rendering with many readers. It is rendered at most once in `maxAgeMs`, and concurrent requests share
 * it.
 */
export class SharedRendering {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #render: () => Promise<string>;
  #current: { readonly bytes: Promise<Buffer>; readonly startedMs: number; done: boolean } | undefined;

  constructor(clock: Clock, maxAgeMs: number, render: () => Promise<string>) {
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
    this.#render = render;
  }

  /** Rejects as `render` does; the next request tries again. */
  async bytes(): Promise<Buffer> {
    const nowMs = this.#clock.monotonicMs();
    const current = this.#current;
    if (current && (!current.done || nowMs - current.startedMs < this.#maxAgeMs)) return await current.bytes;
    const started = { bytes: this.#rendered(), startedMs: nowMs, done: false };
    this.#current = started;
    try {
      const bytes = await started.bytes;
      started.done = true;
      return bytes;
    } catch (thrown) {
      this.#current = undefined;
      throw thrown;
    }
  }

  /** Bytes, so that a thousand answers share one copy. */
  async #rendered(): Promise<Buffer> {
    return Buffer.from(await this.#render());
  }
}
