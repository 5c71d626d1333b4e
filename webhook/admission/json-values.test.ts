import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '../../shared/domain/text/any-text.fixture';
import { jsonValues } from './json-values';

const count = (text: string, max = 1_000_000): number => jsonValues(Buffer.from(text), max);

/** Counts in a parsed value: one for each object or list, and one for each of its members but the first. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce<number>((sum, member) => sum + valuesOf(member), 0);
}

describe('jsonValues', () => {
  it.each([
    ['{}', 1],
    ['[{},{},{}]', 6],
    ['{"a":1,"b":[1,2]}', 4],
    ['"[,{"', 0],
    ['["a\\"[,{","b"]', 2],
    ['["a\\\\",[]]', 3],
    [`["${'x'.repeat(100)}\\"${','.repeat(50)}",1]`, 2],
    [`["${'x'.repeat(100)}\\\\",1]`, 2],
    [`["${'x'.repeat(31)}\\\\\\"${',['.repeat(50)}\\\\",1]`, 2],
    ['["never ends, [', 1],
  ])('%j has %d', (text, values) => expect(count(text)).toBe(values));

  it('counts what a parser makes, whatever the strings hold', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', '{', 'a', 'ü', '\n', 'x'.repeat(40)) });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), fc.array(text), (value, texts) => {
        const all = [value, texts];
        expect(count(JSON.stringify(all))).toBe(valuesOf(all));
      }),
    );
  });

  it('stops counting at the maximum', () => {
    expect(count('{},'.repeat(1_000), 100)).toBe(101);
  });
});
