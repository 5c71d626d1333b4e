import type { Clock, Timer } from '../../runtime/clock';

/** Timestamps in HTTP headers have no fractions of a second. */
const resolutionMs = 1_000;

/**
 * A clock that tells the API server's time, which dates all objects. The clock of a node may be off by minutes, or may
 * be set while the process runs: then a removal, which is dated by its arrival, would seem older or younger than changes
 * that the API server has dated. So the wall clock is read once, and corrected by the `Date` header of answers
 * (RFC 9110, section 6.6.1) if it disagrees with one.
 */
export class ServerClock implements Clock {
  readonly #clock: Clock;
  /** The API server's time when the monotonic clock showed zero. */
  #originMs: number;
  #hasObserved = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#originMs = clock.nowMs() - clock.monotonicMs();
  }

  nowMs(): number {
    return Math.floor(this.#originMs + this.#clock.monotonicMs());
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  timer(delayMs: number, callback: () => void): Timer {
    return this.#clock.timer(delayMs, callback);
  }

  /**
   * How far the wall clock is ahead of the API server's; negative if it is behind, and undefined before the first
   * answer. It is known to about a second.
   */
  aheadMs(): number | undefined {
    return this.#hasObserved ? Math.round(this.#clock.nowMs() - this.nowMs()) : undefined;
  }

  /**
   * Takes the `Date` header of an answer; `sentMs` is when the request was sent, by the monotonic clock. The server read
   * its clock at some moment of the request. If that rules out this clock's time, the earliest possible time counts: a
   * time that is too late could hide a change.
   */
  observe(date: string | undefined, sentMs: number): void {
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    this.#hasObserved = true;
    const monotonicMs = this.#clock.monotonicMs();
    const aheadMs = this.#originMs + monotonicMs - dateMs;
    if (aheadMs < 0 || aheadMs >= resolutionMs + (monotonicMs - sentMs)) this.#originMs = dateMs - monotonicMs;
  }
}
