import { expect, it } from '@jest/globals';
import { holds } from '../result';
import { soakFigures } from './figures';
import type { Sample } from './growth';

const minuteMs = 60_000;
const mib = 2 ** 20;

const sampleAt = (minute: number, heapMib: number | undefined, sockets: number): Sample => ({
  ...{ atMs: minute * minuteMs, residentBytes: 60 * mib, heapBytes: heapMib && heapMib * mib },
  ...{ handles: heapMib && 10, descriptors: 30, sockets },
});

const samples = (heap: (minute: number) => number | undefined, sockets: (minute: number) => number) =>
  Array.from({ length: 20 }, (_, index) => sampleAt(index + 1, heap(index + 1), sockets(index + 1)));

const well = { edits: 3, lastEditMs: 10, restarts: 2, lastRestartMs: 11 };

const tell = (all: readonly Sample[], fates: readonly (typeof well)[], isAsked = true) =>
  Object.fromEntries(
    soakFigures(all, 5 * minuteMs, fates, { cuts: 1, leaderChanges: 2, collections: 9, isAsked }).map((figure) => [
      figure.name,
      [figure.value, holds(figure)],
    ]),
  );

it('holds where a heap has warmed up, and only rises and falls since', () =>
  expect(
    tell(
      samples(
        (minute) => (minute < 5 ? minute : 20 + (minute % 3)),
        () => 20,
      ),
      [well, well],
    ),
  ).toMatchObject({
    'heap after a collection, grown': [1, true],
    'handles, grown': [0, true],
    'file descriptors, grown': [0, true],
    'sockets, grown': [0, true],
    'workloads whose last edit was missed': [0, true],
    'workloads restarted more often than edited': [0, true],
    edits: [6, undefined],
  }));

it('does not hold where a heap, sockets, and what is owed grow', () =>
  expect(
    tell(
      samples(
        (minute) => 20 + minute,
        (minute) => minute,
      ),
      [well, { ...well, lastEditMs: 12 }, { ...well, restarts: 4 }],
    ),
  ).toMatchObject({
    'heap after a collection, grown': [11, false],
    'handles, grown': [0, true],
    'sockets, grown': [11, false],
    'workloads whose last edit was missed': [1, false],
    'workloads restarted more often than edited': [1, false],
  }));

it('says nothing of what cannot be asked', () =>
  expect(
    Object.keys(
      tell(
        samples(
          () => undefined,
          () => 20,
        ),
        [well],
        false,
      ),
    ),
  ).not.toContain('heap after a collection, grown'));
