import type { Clock, Timer } from '../../runtime/clock';

/** An abort signal that fires when the caller's does, or when time is up; `expired` tells which. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  #timer: Timer | undefined;
  #timerEndsMs = 0;
  #dueMs = 0;
  #expired = false;

  constructor(clock: Clock, outer?: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    if (outer?.aborted === true) this.#abort();
    outer?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Time is up `delayMs` from now, whatever was set before. */
  set(delayMs: number): void {
    this.#dueMs = this.#clock.monotonicMs() + delayMs;
    // A stream puts it off with every chunk: a timer that ends before looks again then.
    if (!this.#timer || this.#timerEndsMs > this.#dueMs) this.#startTimer();
  }

  /** No time limit any more; the caller's signal still counts. */
  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #startTimer(): void {
    this.clear();
    this.#timerEndsMs = this.#dueMs;
    this.#timer = this.#clock.timer(this.#dueMs - this.#clock.monotonicMs(), () => {
      if (this.#clock.monotonicMs() < this.#dueMs) {
        this.#startTimer();
        return;
      }
      this.#expired = true;
      this.#abort();
    });
  }

  /** Ends what is under way: a stream that nobody reads to its end would stay open. */
  abort(): void {
    this.#abort();
  }

  /** Lets go of timer and caller's signal: without it a long-lived signal would keep every request alive. */
  dispose(): void {
    this.clear();
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  /** Settles with `work`, or rejects at once when the signal fires: for work that does not know the signal. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return await new Promise<T>((resolve, reject) => {
      const aborted = (): void => reject(new Error('aborted'));
      if (signal.aborted) aborted();
      signal.addEventListener('abort', aborted);
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
    });
  }
}
