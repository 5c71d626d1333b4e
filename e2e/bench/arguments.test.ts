import { describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from './arguments';

const known = new Map([
  ['admission', 'how fast a review is answered'],
  ['other', 'another'],
]);

describe('arguments of a bench', () => {
  it('are its name, and how to tell the result', () => {
    expect(parseArguments(['admission'], known)).toEqual({ name: 'admission', json: false });
    expect(parseArguments(['--json', 'other'], known)).toEqual({ name: 'other', json: true });
  });

  it.each([
    ['no name', [], 'name one bench'],
    ['two names', ['admission', 'other'], 'name one bench'],
    ['a name that is none', ['admision'], 'there is no bench "admision"'],
    ['a flag that is none', ['admission', '--fast'], 'unknown flag "--fast"'],
  ])('%s is an error that lists the benches', (_what, args, words) => {
    const parse = () => parseArguments(args, known);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(words);
    expect(parse).toThrow('admission  how fast a review is answered');
  });
});
