import type { Mutant } from './mutants';

const rollout = 'shared/domain/gates/source-rollout.ts';
const stages = 'reconciler/gates/restart-stages.ts';

/** Bugs in how a change reaches the users of a source. */
export const stageMutants: readonly Mutant[] = [
  {
    what: 'two go first',
    file: rollout,
    from: 'const [canary, tenth] = [1, mostJudged(users)];',
    to: 'const [canary, tenth] = [2, mostJudged(users)];',
  },
  {
    what: 'the others follow as soon as the first has restarted',
    file: rollout,
    from: 'const waitsFor = ofStage.find((user) => healthyAtMs(user, settings) > nowMs);',
    to: 'const waitsFor = ofStage.find(() => false);',
  },
  {
    what: 'the others follow as soon as the first is healthy',
    file: rollout,
    from: 'healthySinceMs + healthyForMs;',
    to: 'healthySinceMs + 0 * healthyForMs;',
  },
  {
    what: 'what has failed stops nothing',
    file: rollout,
    from: "  if (failed) return { is: 'stopped', failed };\n",
    to: '  if (failed) return open;\n',
  },
  {
    what: 'a restart counts for no stage',
    file: 'reconciler/gates/user-standings.ts',
    from: 'lastRestart.changeIds?.includes(id) === true;',
    to: 'lastRestart.changeIds?.includes(id) === undefined;',
  },
  {
    what: 'those that wait for the first are not woken',
    file: stages,
    from: '    for (const key of woken) this.#wake(key);\n',
    to: '    for (const key of woken.slice(0, 0)) this.#wake(key);\n',
  },
];
