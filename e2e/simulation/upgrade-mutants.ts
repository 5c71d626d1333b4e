import type { Mutant } from './mutants';

/** Bugs in reading what an older version wrote. */
export const upgradeMutants: readonly Mutant[] = [
  {
    what: 'a baseline of an older version counts as none',
    file: 'shared/domain/baseline/baseline.ts',
    from: 'return uid === undefined || uid === objectUid;',
    to: 'return uid === objectUid;',
  },
];
