import { describe, expect, it } from '@jest/globals';
import { idleBecause } from './read-users';

const install = { callsInstead: false, dryRun: false };
const asked = { silence: undefined, account: {} };

describe('an install that restarts nothing', () => {
  it.each([
    ['by its Deployment', { ...install, dryRun: true }, asked],
    [
      'by the answer of its leader, where its Deployment may not be read',
      install,
      { ...asked, account: { dryRun: true } },
    ],
  ] as const)('is known to run with --dry-run %s', (_how, read, answered) => {
    expect(idleBecause(read, answered)).toBe('Reroll runs with --dry-run, and writes nothing');
  });

  it('is not any other', () => {
    expect(idleBecause(install, asked)).toBeUndefined();
  });
});
