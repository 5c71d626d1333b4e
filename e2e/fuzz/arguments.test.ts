import { describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from './arguments';

const known = ['baseline', 'duration'];

describe('arguments of npm run fuzz', () => {
  it.each([
    [[], { kind: 'fuzz', targets: known, minutes: 5, seed: 1, store: false }],
    [['--minutes', '0.5'], { kind: 'fuzz', targets: known, minutes: 0.5, seed: 1, store: false }],
    [
      ['--target', 'duration', '--seed', '7'],
      { kind: 'fuzz', targets: ['duration'], minutes: 5, seed: 7, store: false },
    ],
    [['--store'], { kind: 'fuzz', targets: known, minutes: 5, seed: 1, store: true }],
    [['--target=baseline', '--replay', 'a/b'], { kind: 'replay', target: 'baseline', file: 'a/b' }],
    [['--list'], { kind: 'list' }],
  ])('reads %j', (args, asked) => {
    expect(parseArguments(args, known)).toEqual(asked);
  });

  it.each([
    [['--target', 'nothing'], 'there is no target "nothing"'],
    [['--minutes', '0'], '--minutes=0: give a number above 0'],
    [['--minutes', 'ten'], '--minutes=ten: give a number above 0'],
    [['--seed', '-1'], 'usage:'],
    [['--seed=1.5'], '--seed=1.5: give a whole number'],
    [['--replay', 'file'], '--replay needs the --target'],
    [['--fast'], "Unknown option '--fast'"],
    [['duration'], 'duration'],
  ])('refuses %j and says how it is used', (args, problem) => {
    expect(() => parseArguments(args, known)).toThrow(UsageError);
    expect(() => parseArguments(args, known)).toThrow(problem);
    expect(() => parseArguments(args, known)).toThrow('usage: npm run fuzz');
  });
});
