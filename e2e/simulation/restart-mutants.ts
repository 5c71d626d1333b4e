import type { Mutant } from './mutants';

/** Bugs that give several restarts one id. */
export const restartIdMutants: readonly Mutant[] = [
  {
    what: 'a process gives all its restarts one id',
    file: 'reconciler/worker/describe-restart.ts',
    from: 'const id = randomHex(random, 8);',
    to: 'const id = ((random as unknown as { restartId?: string }).restartId ??= randomHex(random, 8));',
  },
  {
    what: 'the id of a restart follows from the number of its baseline',
    file: 'reconciler/worker/describe-restart.ts',
    from: 'const id = randomHex(random, 8);',
    to: "const id = randomHex(random, 8).slice(8) + String(baseline.sequence).padStart(8, '0');",
  },
];

/** Bugs that leave out known authors of a change. */
export const authorMutants: readonly Mutant[] = [
  {
    what: 'who is confirmed later than the watch showed the change is not kept',
    file: 'reconciler/hints/hints.ts',
    from: "      this.#attributions.add(id, { ...hint, resourceVersion: known.resourceVersion }, [hint], 'both');",
    to: '',
  },
  {
    what: 'the author is forgotten with the next look at the same state',
    file: 'reconciler/hints/attributions.ts',
    from: 'if (attributions?.uid !== uid || attributions.current === digest) return;',
    to: 'if (attributions?.uid !== uid) return;',
  },
  {
    what: 'a restart for several sources names nobody',
    file: 'shared/domain/plan/describe-change.ts',
    from: '...(by.length > 0 && { by }),',
    to: '...(by.length > 0 && named.length === 1 && { by }),',
  },
];
