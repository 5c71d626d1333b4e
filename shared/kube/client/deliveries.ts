import { sleep, type Clock } from '../../runtime/clock';
import { backoffMs, type BackoffOptions, type Random } from '../../runtime/random';
import { deliver, type Delivery, type DeliveryLimits, type DeliveryTry } from './delivery';

/** What became of something, after all tries. */
type DeliveryResult = 'sent' | 'refused' | 'unreachable' | 'stopped';

/** How a try ended: `given_up` is a failure after which there is no other try. */
type TryResult = Exclude<Delivery['kind'], 'stopped'> | 'given_up';

interface RetryLimits {
  readonly tries: number;
  /** No try begins later than that after the first one. */
  readonly withinMs: number;
  readonly tryTimeoutMs: number;
  readonly backoff: BackoffOptions;
}

export interface DeliveriesOptions extends Pick<DeliveryLimits, 'isTransient'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: RetryLimits;
  /** Once it is aborted, nothing is delivered any more. */
  readonly signal: AbortSignal;
  readonly onTry?: (result: TryResult) => void;
  /** The first loss since something was delivered. `why` is safe to log. */
  readonly onOutage: (why: string, result: DeliveryResult) => void;
  /** Something is delivered after an outage. */
  readonly onRecovery: () => void;
}

/** Delivers one thing after another to one receiver, tries each again after a failure, and tells an outage once. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  #isOutage = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Resolves after the last try. Never rejects. */
  async deliver(post: DeliveryTry): Promise<DeliveryResult> {
    const { clock, random, signal, isTransient, limits, onTry } = this.#options;
    const untilMs = clock.monotonicMs() + limits.withinMs;
    const ofTry = { clock, timeoutMs: limits.tryTimeoutMs, signal, ...(isTransient && { isTransient }) };
    for (let tries = 1; ; tries++) {
      const outcome = await deliver(ofTry, post);
      switch (outcome.kind) {
        case 'delivered':
          onTry?.('delivered');
          this.#recovered();
          return 'sent';
        case 'stopped':
          return 'stopped';
        case 'refused':
          onTry?.('refused');
          return this.#lost('refused', outcome.why);
        case 'failed': {
          const waitMs = Math.max(backoffMs(random, tries - 1, limits.backoff), outcome.retryAfterMs ?? 0);
          const isLast = tries >= limits.tries || clock.monotonicMs() + waitMs > untilMs;
          onTry?.(isLast ? 'given_up' : 'failed');
          if (isLast) return this.#lost('unreachable', outcome.why);
          await sleep(clock, waitMs, signal);
        }
      }
    }
  }

  #lost(result: DeliveryResult, why: string): DeliveryResult {
    if (!this.#isOutage) this.#options.onOutage(why, result);
    this.#isOutage = true;
    return result;
  }

  #recovered(): void {
    if (this.#isOutage) this.#options.onRecovery();
    this.#isOutage = false;
  }
}
