import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { TokenBucket } from './token-bucket';

describe('TokenBucket', () => {
  it('holds a burst and no more, however long it was not used, and fills at its rate', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
    const take = (): readonly boolean[] => Array.from({ length: 4 }, () => bucket.take());
    expect(take()).toEqual([true, true, true, false]);
    await clock.advance(499);
    expect(bucket.take()).toBe(false);
    await clock.advance(1);
    expect(take()).toEqual([true, false, false, false]);
    await clock.advance(3_600_000);
    expect(take()).toEqual([true, true, true, false]);
  });

  it('gives many at once or none', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
    expect([bucket.take(4), bucket.take(2), bucket.take(2), bucket.take()]).toEqual([false, true, false, true]);
    await clock.advance(1_000);
    expect(bucket.take(2)).toBe(true);
  });
});
