import type { TestedMutant } from './mutants';

const refs = 'reconciler/workloads/workload-refs.ts';
const refsTest = 'reconciler/workloads/workload-refs.test.ts';
const rolling = 'reconciler/gates/rolling-workloads.ts';
const rollingTest = 'reconciler/gates/rolling-workloads.test.ts';
const orderTest = 'e2e/engine/restart-order.test.ts';
const stoppedTest = 'e2e/engine/stopped-sources.test.ts';

/** Bugs of what says when restarts begin, each found by its `test`. */
export const testedGateMutants: readonly TestedMutant[] = [
  {
    what: 'a hold on a Rollout does not hold the Deployment whose template it takes',
    file: 'shared/domain/workloads/workload-ref.ts',
    from: '    ...(rollout.gates && { gates: { ...record.gates, ...rollout.gates } }),\n',
    to: '',
    test: refsTest,
  },
  {
    what: 'when a hold on a Rollout begins or ends, nobody looks at its Deployment',
    file: refs,
    from: 'if (asksTheSame && sameGateSettings(former.record.gates, record.gates)) return;',
    to: 'if (asksTheSame && sameGateSettings(record.gates, record.gates)) return;',
    test: refsTest,
  },
  {
    what: 'those that Reroll holds paused do not count',
    file: rolling,
    from: "const isPaused = progress.state === 'held' &&",
    to: "const isPaused = progress.state === 'failed' &&",
    test: 'e2e/engine/pace.test.ts',
  },
  {
    what: 'those that Reroll holds paused count for as long as the pause lasts',
    file: rolling,
    from: '{ ...slot, rolls: false }',
    to: '{ ...slot, rolls: slot.rolls }',
    test: rollingTest,
  },
  {
    what: 'a long pause ends, and nobody counts what rolls then',
    file: rolling,
    from: '{ ...known, pods, rolls: true,',
    to: '{ ...known, pods,',
    test: rollingTest,
  },
  {
    what: 'under a limit in pods, whoever fits goes',
    file: 'reconciler/gates/restart-turns.ts',
    from: 'const isKept = !isCounted &&',
    to: 'const isKept = isCounted &&',
    test: 'e2e/engine/pace.test.ts',
  },
  {
    what: 'who may begin since the line was asked is not woken',
    file: 'reconciler/gates/restart-turns.ts',
    from: 'this.#rateGate(nowMs)?.untilMs',
    to: 'this.#rateGate(clock.nowMs())?.untilMs',
    test: 'reconciler/gates/restart-turns.test.ts',
  },
  {
    what: 'when one leaves for whose pods there was no room, nobody looks',
    file: 'reconciler/gates/waiting-line.ts',
    from: 'return restart !== undefined && [...this.#blocked.values()].includes(restart);',
    to: 'return restart !== undefined && this.#waiting.has(key);',
    test: 'reconciler/gates/restart-turns.test.ts',
  },
  {
    what: 'an edit of a label of the source ends a wave',
    file: 'reconciler/gates/restart-order.ts',
    from: "return id !== undefined && lastRestart.changeIds?.includes(id) === true ? standing : 'done';",
    to: "return id === '' ? standing : 'done';",
    test: orderTest,
  },
  {
    what: 'who waits for a Job goes on as soon as that is deleted to be created again',
    file: 'reconciler/gates/returning-jobs.ts',
    from: 'return this.#workloads.get(key) ?? this.#jobs.get(key)?.workload;',
    to: 'return this.#workloads.get(key);',
    test: orderTest,
  },
  {
    what: 'a change that broke its first workload is told only to those that wait for nothing else',
    file: 'reconciler/gates/staged-source.ts',
    from: 'return this.owing > 0 && (isRolledBack',
    to: 'return this.owing < 0 && (isRolledBack',
    test: stoppedTest,
  },
  {
    what: 'who failed with a content seems to have nothing to do with it after a restart for another source',
    file: 'reconciler/worker/describe-restart.ts',
    from: 'return id !== undefined && known.has(id) ? [id] : [];',
    to: "return id === '' && known.has(id) ? [id] : [];",
    test: stoppedTest,
  },
  {
    what: 'who waits for a source that has stopped keeps the place of the first at another one',
    file: 'reconciler/gates/restart-stages.ts',
    from: 'if (other !== staged && other.passOver(key)) this.#advance(other);',
    to: 'if (other === staged && other.passOver(key)) this.#advance(other);',
    test: stoppedTest,
  },
];
