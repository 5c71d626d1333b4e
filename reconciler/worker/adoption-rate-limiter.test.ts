import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { AdoptionRateLimiter } from './adoption-rate-limiter';

let clock: FakeClock;
let pace: AdoptionRateLimiter;

beforeEach(() => {
  clock = new FakeClock();
  pace = new AdoptionRateLimiter(clock);
});

/** Asks again after each delay, as the queue does. Returns how often it asked. */
async function adopt(key: string, restore = false): Promise<number> {
  for (let asked = 1; ; asked++) {
    const waitMs = pace.take(key, restore);
    if (waitMs === 0) {
      if (restore) pace.restored(key);
      return asked;
    }
    await clock.advance(waitMs);
  }
}

describe('all adoptions together', () => {
  it('proceed at a hundred a second', async () => {
    for (let n = 0; n < 500; n++) await adopt(String(n));
    expect(clock.monotonicMs()).toBe(4_990);
  });

  it('are not delayed by adoptions of long ago', async () => {
    await adopt('a');
    await clock.advance(60_000);
    expect(pace.take('b', false)).toBe(0);
    expect(pace.take('c', false)).toBe(10);
  });

  it('give each key its own turn: none asks more than twice, however many wait', () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => String(n));
    expect(keys.map((key) => pace.take(key, false))).toEqual(keys.map((_, n) => n * 10));
    expect(keys.slice(1).map((key) => pace.take(key, false))).toEqual(keys.slice(1).map((_, n) => n * 10 + 10));
  });

  it('let a turn be taken later, and once', async () => {
    for (const key of ['a', 'b']) pace.take(key, false);
    await clock.advance(1_000);
    const waits = [1, 2, 3].map(() => pace.take('b', false));
    // Its own turn, a new one at once, and then the rate limit again.
    expect(waits).toEqual([0, 0, 10]);
  });

  it('release the turn of a forgotten key', async () => {
    for (const key of ['a', 'b']) pace.take(key, false);
    pace.forget('b');
    await clock.advance(10);
    expect(pace.take('b', false)).toBe(10);
  });
});

describe('a baseline that somebody keeps removing', () => {
  async function restores(times: number): Promise<readonly number[]> {
    const atMs: number[] = [];
    for (let n = 0; n < times; n++) {
      await adopt('web', true);
      atMs.push(clock.monotonicMs());
    }
    return atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0));
  }

  it('is restored at once, then with backoff, in the end once an hour', async () => {
    const seconds = (await restores(16)).map((ms) => ms / 1_000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600, 3_600]);
  });

  it('delays no other workload, and no other adoption of the same one', async () => {
    await restores(5);
    await clock.advance(10);
    expect(pace.take('other', true)).toBe(0);
    await clock.advance(10);
    expect(pace.take('web', false)).toBe(0);
  });

  it('is restored at once again after more than two quiet hours', async () => {
    await restores(5);
    await clock.advance(2 * 3_600_000);
    expect(await restores(2)).toEqual([32_000]);
    await clock.advance(2 * 3_600_000 + 1);
    expect(await restores(2)).toEqual([1_000]);
  });

  it('is restored when it has its turn, however often that failed', async () => {
    await restores(1);
    await clock.advance(1_000);
    for (let n = 0; n < 12; n++) {
      expect(pace.take('web', true)).toBe(0);
      await clock.advance(500);
    }
  });

  it('starts over with another workload of that name', async () => {
    await restores(5);
    pace.forget('web');
    expect(await restores(2)).toEqual([1_000]);
  });
});
