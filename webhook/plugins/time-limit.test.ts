import { describe, expect, it } from '@jest/globals';
import { TimeLimitError, withinTime } from './time-limit';

describe('withinTime', () => {
  it('gives what the work gives', () => {
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

  it('does not begin where there is no time', () => {
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

  it('ends endless recursion as an error of its own', () => {
    const recurse = (): number => 1 + recurse();
    expect(() => withinTime(1_000, recurse)).toThrow(RangeError);
  });
});
