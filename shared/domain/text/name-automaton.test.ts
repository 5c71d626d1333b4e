import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { nameAutomaton } from './name-automaton';

const automatonOf = (pattern: string, maxSteps = 30_000): ReturnType<typeof nameAutomaton> =>
  nameAutomaton(RE2JS.compile(pattern), maxSteps);

/** Patterns with all that decides what follows a character. */
const { pattern } = fc.letrec<{ readonly pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'a',
      'b',
      '-',
      '.',
      '[ab]',
      '[^a]',
      '\\.',
      '\\w',
      '\\b',
      '\\B',
      '^',
      '$',
      '(?m:^)',
      '(?i:A)',
      'é',
      '',
    ),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    fc.tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '*?')).map(([each, times]) => `(?:${each})${times}`),
  ),
}));

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '0', '-', '.'), maxLength: 12 });

describe('nameAutomaton', () => {
  it('matches each name as RE2 does', () => {
    const seen = { matching: 0, other: 0 };
    fc.assert(
      fc.property(pattern, fc.boolean(), fc.array(name, { maxLength: 20 }), (text, isWhole, names) => {
        const anchored = isWhole ? `^${text}$` : text;
        const reference = RE2JS.compile(anchored);
        const automaton = automatonOf(anchored, Infinity);
        for (const tried of names) {
          expect([anchored, tried, automaton?.matches(tried)]).toEqual([anchored, tried, reference.test(tried)]);
          seen[reference.test(tried) ? 'matching' : 'other']++;
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.matching, seen.other)).toBeGreaterThan(100);
  });

  it.each(['Db', 'd\nb', 'ä', 'd/b'])('does not match %j, which no object has for a name', (other) => {
    expect(automatonOf('^(?s).*$')?.matches('db')).toBe(true);
    expect(automatonOf('^(?s).*$')?.matches(other)).toBe(false);
  });

  it('counts the steps that the states take', () => {
    const steps = automatonOf('^.*a.{6}$')?.steps ?? 0;
    expect(steps).toBeGreaterThan(2 ** 6 * 8);
    expect(automatonOf('^.*a.{6}$', steps)).toBeDefined();
    expect(automatonOf('^.*a.{6}$', steps - 1)).toBeUndefined();
    expect(automatonOf('^db-.*$')?.steps).toBeLessThan(500);
  });

  it('gives up soon on a pattern whose states double with each character', () => {
    expect(automatonOf('^.*a.{180}$')).toBeUndefined();
  });
});
