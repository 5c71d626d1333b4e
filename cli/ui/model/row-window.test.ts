import { describe, expect, it } from '@jest/globals';
import { rowAfterKey, rowWindow, scrollTo } from './row-window';

const place = { height: 400, rowHeight: 40 };

describe('the rows that are drawn', () => {
  it.each([
    ['none', 0, 0, 0, 0],
    ['all of a short list', 5, 0, 0, 5],
    ['the first of many', 5_000, 0, 0, 19],
    ['those around the middle', 5_000, 100_000, 2_492, 2_519],
    ['the last', 5_000, 199_600, 4_981, 5_000],
    ['those of a list that has become shorter than where it was scrolled to', 30, 199_600, 11, 30],
  ])('are %s', (_what, count, scrollTop, first, end) => {
    expect(rowWindow(count, { ...place, scrollTop })).toEqual({ first, end });
  });

  it('are as few for a hundred thousand workloads as for fifty', () => {
    const { first, end } = rowWindow(100_000, { ...place, scrollTop: 2_000_000 });
    expect(end - first).toBeLessThan(30);
  });

  it('have every row that is in sight, wherever the list is scrolled to', () => {
    for (let scrollTop = 0; scrollTop <= 200 * 40 - 400; scrollTop += 7) {
      const { first, end } = rowWindow(200, { ...place, scrollTop });
      expect(first * 40).toBeLessThanOrEqual(scrollTop);
      expect(end * 40).toBeGreaterThanOrEqual(scrollTop + 400);
    }
  });
});

it.each([
  ['above', 2, 400, 80],
  ['below', 30, 400, 840],
  ['in sight', 12, 400, undefined],
  ['half hidden below', 19, 390, 400],
])('a row that is %s is scrolled into sight', (_where, index, scrollTop, expected) => {
  expect(scrollTo(index, { ...place, scrollTop })).toBe(expected);
});

it.each([
  ['ArrowDown', 3, 4],
  ['ArrowUp', 3, 2],
  ['ArrowUp', 0, 0],
  ['ArrowDown', 99, 99],
  ['PageDown', 3, 13],
  ['PageUp', 3, 0],
  ['Home', 50, 0],
  ['End', 3, 99],
  ['x', 3, undefined],
])('%s leads from row %d to %p', (key, from, to) => {
  expect(rowAfterKey(key, from, { count: 100, perPage: 10 })).toBe(to);
  expect(rowAfterKey(key, from, { count: 0, perPage: 10 })).toBeUndefined();
});
