import { isAborted, sleep, type Clock } from './clock';
import { backoffMs, type BackoffOptions, type Random } from './random';

export interface RetryUntilDoneOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff: BackoffOptions;
  readonly signal: AbortSignal;
  /** Called for each failure, the first with attempt 0; not for failures caused by the signal. */
  readonly onFailure: (error: unknown, attempt: number) => void;
}

/** Repeats `work` until it succeeds, with growing delays. Never rejects; undefined if `signal` fired before that. */
export async function retryUntilDone<T>(
  work: () => Promise<T>,
  options: RetryUntilDoneOptions,
): Promise<T | undefined> {
  const { clock, random, backoff, signal, onFailure } = options;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (isAborted(signal)) break;
      onFailure(error, attempt);
    }
    await sleep(clock, backoffMs(random, attempt, backoff), signal);
  }
  return undefined;
}
