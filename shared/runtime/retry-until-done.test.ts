import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock';
import { retryUntilDone, type RetryUntilDoneOptions } from './retry-until-done';

const backoff = { baseMs: 1_000, maxMs: 4_000 };

function persisting() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const failures: (readonly [string, number])[] = [];
  const options: RetryUntilDoneOptions = {
    // The longest possible wait each time: jitter only shortens it.
    ...{ clock, random: { float: () => 0.999_999, bytes: () => Buffer.alloc(0) }, backoff, signal: stop.signal },
    onFailure: (error, attempt) => failures.push([(error as Error).message, attempt]),
  };
  return { clock, stop, failures, options };
}

describe('retryUntilDone', () => {
  it('returns the result of the work', async () => {
    const { options, failures } = persisting();
    expect(await retryUntilDone(() => Promise.resolve('key'), options)).toBe('key');
    expect(failures).toEqual([]);
  });

  it('retries with growing delays, and reports each failure', async () => {
    const { clock, options, failures } = persisting();
    const triedMs: number[] = [];
    const startMs = clock.monotonicMs();
    const done = retryUntilDone(() => {
      triedMs.push(Math.round((clock.monotonicMs() - startMs) / 1000));
      return triedMs.length < 5 ? Promise.reject(new Error('not yet')) : Promise.resolve('key');
    }, options);
    await clock.advance(60_000);
    expect(await done).toBe('key');
    expect(triedMs).toEqual([0, 1, 3, 7, 11]);
    expect(failures.map(([, attempt]) => attempt)).toEqual([0, 1, 2, 3]);
  });

  it('ends during a wait', async () => {
    const { clock, stop, options } = persisting();
    const done = retryUntilDone(() => Promise.reject(new Error('never')), options);
    await clock.settle();
    stop.abort();
    await expect(done).resolves.toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not report failures caused by the abort, and does not begin after it', async () => {
    const { stop, options, failures } = persisting();
    let tries = 0;
    const work = (): Promise<never> => {
      tries += 1;
      stop.abort();
      return Promise.reject(new Error('aborted'));
    };
    await expect(retryUntilDone(work, options)).resolves.toBeUndefined();
    await expect(retryUntilDone(work, options)).resolves.toBeUndefined();
    expect([failures, tries]).toEqual([[], 1]);
  });
});
