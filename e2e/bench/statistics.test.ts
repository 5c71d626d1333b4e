import { describe, expect, it } from '@jest/globals';
import { median, quantile } from './statistics';

describe('quantile', () => {
  it.each([
    ['the median of an odd number', [3, 1, 2], 0.5, 2],
    ['the median of an even number lies between', [1, 2, 3, 10], 0.5, 2.5],
    ['the least', [5, 4], 0, 4],
    ['the most', [5, 4], 1, 5],
    ['a share between two values', [0, 100], 0.99, 99],
    ['of one value, that', [7], 0.99, 7],
  ])('%s', (_what, values, share, expected) => expect(quantile(values, share)).toBeCloseTo(expected));

  it('of none is none', () => expect(median([])).toBeNaN());

  it('leaves the values as they are', () => {
    const values = [3, 1, 2];
    expect(median(values)).toBe(2);
    expect(values).toEqual([3, 1, 2]);
  });
});
