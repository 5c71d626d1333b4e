import { describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from './arguments';

describe('arguments', () => {
  it.each([
    [[], { kind: 'batch', from: 1, seeds: 300 }],
    [['--seeds', '50', '--from', '7'], { kind: 'batch', from: 7, seeds: 50 }],
    [['--seed', '9'], { kind: 'one', seed: 9, story: false }],
    [['--seed', '9', '--story'], { kind: 'one', seed: 9, story: true }],
  ])('%j', (args, asked) => {
    expect(parseArguments(args)).toEqual(asked);
  });

  it.each([[['--sedes', '5']], [['--seeds']], [['--seeds', '-1']], [['--story']], [['--seed', '1', '--from', '2']]])(
    'refuses %j',
    (args) => {
      expect(() => parseArguments(args)).toThrow(UsageError);
    },
  );
});
