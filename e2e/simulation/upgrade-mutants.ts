import type { Mutant } from './mutants';

/** What was written before today's version, and is read in a wrong way. */
export const upgradeMutants: readonly Mutant[] = [
  {
    what: 'a baseline of an older version counts as none',
    file: 'shared/domain/baseline/baseline.ts',
    from: 'return uid === undefined || uid === objectUid;',
    to: 'return uid === objectUid;',
  },
];
