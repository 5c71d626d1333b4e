import { describe, expect, it } from '@jest/globals';
import { TimeLimitError, withinTime } from './time-limit';

describe('withinTime', () => {
  it('returns the result of the work', () => {
    expect(withinTime(1_000, () => [1])).toEqual([1]);
  });

  it.each([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a pattern', () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)],
  ])('ends %s that has no end', (_what, work: () => unknown) => {
    expect(() => withinTime(20, work)).toThrow(TimeLimitError);
    expect(withinTime(1_000, () => 'and works on')).toBe('and works on');
  });

  it('does not start without time', () => {
    expect(() => withinTime(0.5, () => 1)).toThrow(TimeLimitError);
    expect(() => withinTime(-3, () => 1)).toThrow(TimeLimitError);
  });

  it('throws what the work throws', () => {
    const error = new RangeError('too deep');
    expect(() =>
      withinTime(1_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('reports endless recursion as its own error', () => {
    const recurse = (): number => 1 + recurse();
    expect(() => withinTime(1_000, recurse)).toThrow(RangeError);
  });
});
