import type { Mutant } from './mutants';

/** What an engine may do wrong where other people's admission refuses what it writes. */
export const refusalMutants: readonly Mutant[] = [
  {
    what: 'a Retry-After is waited out, however long it is',
    file: 'reconciler/queue/key-queue.ts',
    from: 'Math.min(result.afterMs ?? 0, maxRetryAfterMs)',
    to: '(result.afterMs ?? 0)',
  },
];
