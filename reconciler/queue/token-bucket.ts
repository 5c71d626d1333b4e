import type { Clock } from '../../shared/runtime/clock';

export interface TokenBucketOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** Allows at most `burst` at once and `perSecond` in the long run. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledMs: number;

  constructor(clock: Clock, options: TokenBucketOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledMs = clock.monotonicMs();
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const { perSecond, burst } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledMs) / 1000) * perSecond);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
