import { expect, it } from '@jest/globals';
import { enumerated } from './phrases';

const letters = Array.from('abcdefghijklmnopqrst');

it.each<[readonly string[], number, string]>([
  [[], 0, ''],
  [['a'], 0, 'a'],
  [letters.slice(0, 5), 0, 'a, b, c, d and e'],
  [letters.slice(0, 6), 0, 'a, b, c, d and 2 more'],
  [['a', 'b'], 3, 'a, b and 3 more'],
  [letters.slice(0, 4), 1, 'a, b, c, d and 1 more'],
  [letters.slice(0, 5), 3, 'a, b, c, d and 4 more'],
  [letters, 5, 'a, b, c, d and 21 more'],
])('%j and %i more are %j', (names, more, text) => {
  expect(enumerated(names, more)).toBe(text);
});
