import { describe, expect, it } from '@jest/globals';
import { awaitedAfter, awaitedNoMore, awaitedSince, predates } from './awaited-version';

const awaited = awaitedSince('10', 1_000);

describe('a version that the watch has yet to show', () => {
  it.each([
    ['an older state is outdated', '9', 30_999, true],
    ['the version itself is not', '10', 1_000, false],
    ['nor is a later one', '11', 1_000, false],
    ['after 30 seconds an older state counts', '9', 31_000, false],
  ])('%s: %s at %i ms', (_what, resourceVersion, nowMs, expected) => {
    expect(predates(awaited, { resourceVersion }, nowMs)).toBe(expected);
  });

  it.each([
    ['a later one', '11', awaitedSince('11', 2_000)],
    ['the same', '10', awaited],
    ['an older one, as after a restore of etcd', '9', undefined],
  ])('is, after a read that finds %s: %s', (_what, resourceVersion, expected) => {
    expect(awaitedAfter({ record: { resourceVersion: '10' }, awaited }, { resourceVersion }, 2_000)).toEqual(expected);
  });

  it('outdates nothing once etcd was restored, nor if there is none', () => {
    expect(predates(awaitedNoMore({ resourceVersion: '10' }), { resourceVersion: '9' }, 0)).toBe(false);
    expect(predates(undefined, { resourceVersion: '9' }, 0)).toBe(false);
  });
});
