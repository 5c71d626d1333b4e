import { describe, expect, it } from '@jest/globals';
import { growthOf, type Sample } from './growth';

const hourMs = 60 * 60_000;

/** One sample an hour. */
const samplesOf = (...values: readonly number[]): readonly Sample[] =>
  values.map((value, index) => ({
    ...{ atMs: index * hourMs, residentBytes: value, heapBytes: undefined, handles: undefined },
    ...{ descriptors: 0, sockets: 0 },
  }));

describe('growth', () => {
  it('is that of the last quarter over the first', () =>
    expect(growthOf(samplesOf(1, 2, 3, 3, 4, 5, 6, 8), ({ residentBytes }) => residentBytes)).toEqual({
      first: 1.5,
      last: 7,
      perHour: expect.closeTo(38 / 42),
    }));

  it('is none where a value rises and falls', () =>
    expect(growthOf(samplesOf(5, 9, 7, 8, 6, 9, 5, 7), ({ residentBytes }) => residentBytes)).toMatchObject({
      first: 7,
      last: 6,
    }));

  it('begins when a value is known', () => {
    const heap = [undefined, undefined, 1, 2, 3, 4];
    const samples = samplesOf(...heap.map(() => 0)).map((sample, index) => ({ ...sample, heapBytes: heap[index] }));
    expect(growthOf(samples, ({ heapBytes }) => heapBytes)).toEqual({ first: 1, last: 4, perHour: expect.closeTo(1) });
  });

  it('of what cannot be asked is not known', () =>
    expect(growthOf(samplesOf(1, 2), ({ heapBytes }) => heapBytes).first).toBeNaN());
});
