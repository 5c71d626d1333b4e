import { describe, expect, it } from '@jest/globals';
import { warningsWithinBudget } from './warnings';

const numbered = (count: number, length = 20): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index} `.padEnd(length, 'x'));

describe('warningsWithinBudget', () => {
  it.each([
    [0, 0],
    [1, 1],
    [10, 10],
  ])('shows all of %i', (count, shown) => {
    expect(warningsWithinBudget(numbered(count))).toEqual(numbered(count));
    expect(warningsWithinBudget(numbered(count))).toHaveLength(shown);
  });

  it.each([
    [11, 20, 9, 'and 2 more'],
    [500, 20, 9, 'and 491 more'],
    [9, 250, 8, 'and 1 more'],
    [12, 250, 8, 'and 4 more'],
  ])('of %i with %i bytes each it shows %i and counts the others', (count, length, shown, last) => {
    const warnings = warningsWithinBudget(numbered(count, length));
    expect(warnings).toEqual([...numbered(count, length).slice(0, shown), last]);
    expect(Buffer.byteLength(warnings.join(''))).toBeLessThan(2_100);
  });

  it('truncates, at a character, what an API server would truncate', () => {
    const [warning = ''] = warningsWithinBudget(['ü'.repeat(500)]);
    expect(Buffer.byteLength(warning)).toBeLessThanOrEqual(256);
    expect(warning).toMatch(/^ü+…$/);
  });

  it('escapes control characters, for which an API server would drop the warning', () => {
    expect(warningsWithinBudget(['a\r\nb\tc\u0000d\u202e'])).toEqual([String.raw`a\r\nb\tc\u0000d\u202e`]);
  });

  it('removes duplicates', () => expect(warningsWithinBudget(['a', 'b', 'a'])).toEqual(['a', 'b']));
});
