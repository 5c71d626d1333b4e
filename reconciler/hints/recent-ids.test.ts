import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { maxRecentIds, RecentIds } from './recent-ids';

let clock: FakeClock;
let ids: RecentIds;

beforeEach(() => {
  clock = new FakeClock();
  ids = new RecentIds(clock, 1_000);
});

describe('ids of records', () => {
  it('are known for as long as they are kept', async () => {
    expect(ids.has('a')).toBe(false);
    ids.add('a');
    await clock.advance(1_000);
    expect(ids.has('a')).toBe(true);
    await clock.advance(1);
    expect(ids.has('a')).toBe(false);
  });

  it('are renewed when they arrive again', async () => {
    ids.add('a');
    await clock.advance(800);
    ids.add('a');
    await clock.advance(800);
    expect(ids.has('a')).toBe(true);
  });

  it('are bounded: the oldest make room', () => {
    for (let i = 0; i <= maxRecentIds; i++) ids.add(String(i));
    expect(['0', '1', String(maxRecentIds)].map((id) => ids.has(id))).toEqual([false, true, true]);
  });
});
