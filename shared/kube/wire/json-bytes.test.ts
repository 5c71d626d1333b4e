import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { jsonMembers, jsonText } from './json-bytes';

const members = (text: string, start = 0): readonly (readonly [string, string])[] =>
  [...jsonMembers(Buffer.from(text), start)].map(({ name, at }) => [name, Buffer.from(text).toString('utf8', at)]);

const name = fc.string({ unit: fc.constantFrom('a', 'b', ':', ',', '{', 'ü', 'x'.repeat(40)) });
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '\\'.repeat(40), ',', ']', '}', '{', 'a', '\n', 'x'.repeat(40)),
});
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[text, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)],
    ...[fc.array(tie('value')), fc.dictionary(name, tie('value'))],
  ),
})).value;

describe('jsonMembers', () => {
  it.each([
    ['{}', []],
    ['[1]', []],
    ['', []],
    ['"a"', []],
    ['{"a":1,"b":2}', ['a', 'b']],
    [' { "a" : [1, {"b": 2}] , "c":"}" } ', ['a', 'c']],
    ['{"a":{"b":"\\"}"},"c":null}', ['a', 'c']],
    ['{"a":1', ['a']],
    ['{"a', []],
    ['{"a":[1,2', ['a']],
  ])('of %j are %j', (json, names) => expect(members(json).map(([of]) => of)).toEqual(names));

  it('are those that the parser finds, with the offsets of their values', () => {
    fc.assert(
      fc.property(fc.dictionary(name, anything), fc.constantFrom(0, 2), (object, indent) => {
        const json = JSON.stringify(object, undefined, indent);
        const found = members(json);
        expect(found.map(([of]) => of)).toEqual(Object.keys(JSON.parse(json) as object));
        for (const [of, rest] of found) {
          expect(rest.startsWith(JSON.stringify(object[of], undefined, indent).split('\n', 1)[0] ?? '')).toBe(true);
        }
      }),
    );
  });

  it('are found after many backslashes in linear time', () => {
    // In quadratic time, as whoever may write a Secret would like it, this does not end before the test's time limit.
    const json = JSON.stringify({ a: '\\'.repeat(4 * 1024 * 1024), b: 1 });
    expect([...jsonMembers(Buffer.from(json), 0)].map(({ name: of }) => of)).toEqual(['a', 'b']);
  });

  it('are not read beyond the last one that is needed', () => {
    const [first] = jsonMembers(Buffer.from('{"a":1,this is not JSON'), 0);
    expect(first).toEqual({ name: 'a', at: 5 });
  });
});

describe('jsonText', () => {
  it.each([
    ['"a\\n\\u00fc"', 'a\nü'],
    ['1', undefined],
    ['"a', undefined],
    ['"\\x"', undefined],
  ])('of %s is %j', (json, value) => expect(jsonText(Buffer.from(json), 0)).toBe(value));
});
