import type { Mutant } from './mutants';

/** Bugs in how the engine handles refusals by third-party admission. */
export const refusalMutants: readonly Mutant[] = [
  {
    what: 'a Retry-After is waited out, however long it is',
    file: 'reconciler/queue/key-queue.ts',
    from: 'Math.min(result.afterMs ?? 0, maxRetryAfterMs)',
    to: '(result.afterMs ?? 0)',
  },
];
