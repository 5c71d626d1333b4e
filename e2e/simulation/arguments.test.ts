import { describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from './arguments';

const today = new Date('2026-11-23T23:59:59.999Z');

describe('parseArguments', () => {
  it.each([
    [[], { kind: 'batch', from: 1, seeds: 300 }],
    [['--seeds', '50', '--from', '7'], { kind: 'batch', from: 7, seeds: 50 }],
    [['--seeds', '1000', '--from', 'today'], { kind: 'batch', from: 20_261_123_000, seeds: 1000 }],
    [['--seed', '20261123999'], { kind: 'one', seed: 20_261_123_999, story: false }],
    [['--seed', '9'], { kind: 'one', seed: 9, story: false }],
    [['--seed', '9', '--story'], { kind: 'one', seed: 9, story: true }],
    [['--prove'], { kind: 'prove', share: { first: 0, of: 1 } }],
    [['--prove', 'today'], { kind: 'prove', share: { first: 0, of: 10 } }],
  ])('parses %j', (args, asked) => {
    expect(parseArguments(args, today)).toEqual(asked);
  });

  it('with --prove today selects each planted bug on one of ten consecutive days', () => {
    const firsts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((days) => {
      const asked = parseArguments(['--prove', 'today'], new Date(today.getTime() + days * 86_400_000));
      return asked.kind === 'prove' ? asked.share.first : undefined;
    });
    expect(firsts.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each([
    [['--sedes', '5']],
    [['--seeds']],
    [['--seeds', '-1']],
    [['--seeds', 'today']],
    [['--from', 'yesterday']],
    [['--story']],
    [['--seed', '1', '--from', '2']],
    [['--prove', '--seed', '1']],
    [['--prove', 'tomorrow']],
  ])('refuses %j', (args) => {
    expect(() => parseArguments(args, today)).toThrow(UsageError);
  });
});
