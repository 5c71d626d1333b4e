import { describe, expect, it } from '@jest/globals';
import { isLongerThan } from './budgets';

describe('isLongerThan', () => {
  it.each([
    ['abc', 3, false],
    ['abc', 2, true],
    ['ä', 1, true],
    ['ä', 2, false],
    ['€', 2, true],
    ['€', 3, false],
    ['😀', 3, true],
    ['😀', 4, false],
    ['', 0, false],
  ])('%j has more than %d bytes: %j', (text, bytes, longer) => expect(isLongerThan(text, bytes)).toBe(longer));
});
