import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock';
import { RecentMap } from './recent-map';

let clock: FakeClock;
let map: RecentMap<number>;

beforeEach(() => {
  clock = new FakeClock();
  map = new RecentMap(clock, { keptMs: 1_000, maxEntries: 100 });
});

describe('entries of a recent map', () => {
  it('count for as long as they are kept', async () => {
    expect(map.get('a')).toBeUndefined();
    map.set('a', 1);
    await clock.advance(999);
    expect(map.get('a')).toBe(1);
    await clock.advance(1);
    expect(map.get('a')).toBeUndefined();
  });

  it('are renewed when they are set again', async () => {
    map.set('a', 1);
    await clock.advance(800);
    map.set('a', 2);
    await clock.advance(800);
    expect(map.get('a')).toBe(2);
  });

  it('are bounded: the oldest make room', () => {
    for (let i = 0; i <= 100; i++) map.set(String(i), i);
    expect(['0', '1', '100'].map((key) => map.get(key))).toEqual([undefined, 1, 100]);
    expect(map.size).toBe(100);
  });

  it('take no room once they are too old', async () => {
    for (let i = 0; i < 50; i++) map.set(String(i), i);
    await clock.advance(1_000);
    map.set('a', 1);
    expect(map.size).toBe(1);
  });

  it('can be deleted', () => {
    map.set('a', 1);
    map.delete('a');
    expect(map.get('a')).toBeUndefined();
  });
});
