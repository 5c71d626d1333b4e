import { setMaxListeners } from 'node:events';
import type { Clock, Timer } from '../../runtime/clock';

/** An abort signal that fires with the caller's signal or when time is up; `expired` says which. */
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
    if (outer === undefined) return;
    if (outer.aborted) this.#abort();
    // All requests of a term listen to one signal. With more than ten at once, Node would warn of a leak.
    setMaxListeners(Infinity, outer);
    outer.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Sets the time limit to `delayMs` from now; replaces an earlier limit. */
  set(delayMs: number): void {
    this.#dueMs = this.#clock.monotonicMs() + delayMs;
    // A stream extends the limit with every chunk. A running timer is kept: when it fires, it checks the new limit.
    if (!this.#timer || this.#timerEndsMs > this.#dueMs) this.#startTimer();
  }

  /** Removes the time limit; the caller's signal still counts. */
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

  /** Aborts the request. A stream that is not read to its end would otherwise stay open. */
  abort(): void {
    this.#abort();
  }

  /** Releases the timer and the caller's signal. Otherwise a long-lived signal would keep every request in memory. */
  dispose(): void {
    this.clear();
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  /** Settles with `work`, or rejects as soon as the signal fires; for work that does not support the signal. */
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
