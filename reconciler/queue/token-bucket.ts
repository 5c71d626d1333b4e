import type { Clock } from '../../shared/runtime/clock';

export interface TokenBucketOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** Allows at most `burst` at once and `perSecond` in the long run. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, options: TokenBucketOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledMs = clock.monotonicMs();
  }

  /** Takes one token, or `count`; false, and takes none, when there are not so many. */
  take(count = 1): boolean {
    const { perSecond, burst } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledMs) / 1000) * perSecond);
    this.#filledMs = nowMs;
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }
}
