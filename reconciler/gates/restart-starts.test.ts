import { beforeEach, describe, expect, it } from '@jest/globals';
import { paced } from './gates.fixture';
import { RestartStarts } from './restart-starts';

const nowMs = 1_000_000;
let starts: RestartStarts;

/** The times of the last period. */
function since(atMs: number): readonly number[] {
  const times: number[] = [];
  for (let n = 1; starts.nthLastMs(n, atMs) !== undefined; n++) times.unshift(starts.nthLastMs(n, atMs) ?? 0);
  return times;
}

beforeEach(() => {
  starts = new RestartStarts(60_000);
  starts.begin([], nowMs);
});

describe('RestartStarts', () => {
  it('knows the restarts of the last period', () => {
    starts.add({ id: 'a', atMs: nowMs }, 'shop');
    starts.add({ id: 'b', atMs: nowMs + 30_000 }, 'shop');
    expect(since(nowMs + 59_999)).toEqual([nowMs, nowMs + 30_000]);
    expect(since(nowMs + 60_000)).toEqual([nowMs + 30_000]);
    expect(since(nowMs + 90_000)).toEqual([]);
  });

  it('forgets one that did not begin', () => {
    starts.add({ id: 'a', atMs: nowMs }, 'shop');
    starts.add({ id: 'b', atMs: nowMs }, 'shop');
    starts.remove({ id: 'a', atMs: nowMs });
    expect(since(nowMs)).toEqual([nowMs]);
  });

  it('reads from the workloads what the leader before did, also if they are shown later', () => {
    const before = paced({ name: 'a', lastRestart: { id: 'a', atMs: nowMs - 1_000 } });
    const later = paced({ name: 'b', lastRestart: { id: 'b', atMs: nowMs - 2_000 } });
    starts.begin(
      [before, paced({ name: 'c', lastRestart: { id: 'c', atMs: nowMs - 60_000 } }), paced({ name: 'd' })],
      nowMs,
    );
    starts.saw(later);
    starts.add({ id: 'e', atMs: nowMs + 1 }, 'shop');
    expect(since(nowMs + 1)).toEqual([nowMs - 2_000, nowMs - 1_000, nowMs + 1]);
    expect(since(nowMs + 59_000)).toEqual([nowMs + 1]);
  });

  it('believes no workload that tells of a restart in this term, and counts each once', () => {
    starts.saw(paced({ name: 'liar', lastRestart: { id: 'a', atMs: nowMs + 1 } }));
    starts.saw(paced({ name: 'liar', lastRestart: { id: 'b', atMs: nowMs - 1 } }));
    starts.saw(paced({ name: 'liar', lastRestart: { id: 'c', atMs: nowMs - 2 } }));
    expect(since(nowMs + 2)).toEqual([nowMs - 2]);
  });

  it('counts those of each namespace for two periods', () => {
    starts.begin([paced({ name: 'a', lastRestart: { id: 'a', atMs: nowMs - 90_000 } })], nowMs);
    starts.add({ id: 'b', atMs: nowMs }, 'shop');
    starts.add({ id: 'c', atMs: nowMs }, 'bank');
    starts.add({ id: 'd', atMs: nowMs + 1 }, 'bank');
    starts.remove({ id: 'c', atMs: nowMs });
    const counted = (atMs: number): readonly number[] => {
      starts.expire(atMs);
      return ['shop', 'bank', 'other'].map((namespace) => starts.inNamespace(namespace));
    };
    expect(counted(nowMs + 29_999)).toEqual([2, 1, 0]);
    expect(since(nowMs + 29_999)).toEqual([nowMs, nowMs + 1]);
    expect(counted(nowMs + 30_000)).toEqual([1, 1, 0]);
    expect(counted(nowMs + 120_000)).toEqual([0, 1, 0]);
    expect(counted(nowMs + 120_001)).toEqual([0, 0, 0]);
  });
});
