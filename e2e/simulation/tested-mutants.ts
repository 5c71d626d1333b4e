import type { Mutant } from './mutants';

/** A bug that a test finds without a world. `test` is the path of the test file from the root of the repository. */
export interface TestedMutant extends Mutant {
  readonly test: string;
}

const worker = 'reconciler/worker/worker.ts';
const workerTest = 'reconciler/worker/worker.test.ts';
const folds = 'reconciler/worker/rollout-coalescer.ts';
const foldsTest = 'reconciler/worker/rollout-coalescer.test.ts';
const contents = 'reconciler/reading/content-loader.ts';
const contentsTest = 'reconciler/reading/content-loader.test.ts';
const comparison = 'shared/domain/baseline/comparison.ts';
const comparisonTest = 'shared/domain/baseline/comparison.test.ts';

/** Each is found by its `test`. These bugs need faults that few worlds draw, or none. */
export const testedMutants: readonly TestedMutant[] = [
  {
    what: 'nobody goes first in the place of one that may not restart',
    file: 'reconciler/gates/restart-stages.ts',
    from: 'if (isKept && staged.passOver(key)) this.#advance(staged);',
    to: 'if (isKept && staged.chosen.has(key)) this.#advance(staged);',
    test: 'reconciler/gates/restart-stages.test.ts',
  },
  {
    what: 'those that went first are healthy for long by a wall clock that was set',
    file: 'reconciler/gates/staged-source.ts',
    from: 'nowMs - (monotonicMs - sinceMs)',
    to: 'sinceMs + Date.UTC(2026, 0, 1)',
    test: 'reconciler/gates/restart-stages.test.ts',
  },
  {
    what: 'a Lease expires by the clock of whoever looks',
    file: 'shared/kube/lease/lease.ts',
    from: 'return nowMs - this.#observed.sinceMonotonicMs >=',
    to: "return this.#clock.nowMs() - Date.parse(record.renewTime ?? '') >=",
    test: 'shared/kube/lease/lease.test.ts',
  },
  {
    what: 'the time of the API server is not learnt from its answers',
    file: 'shared/kube/client/client.ts',
    from: "    serverClock?.observe(response.headers['date'], startMs);\n",
    to: '',
    test: 'e2e/engine/opt-in-by-removal.test.ts',
  },
  {
    what: 'a longest wait of its own is not heeded',
    file: 'reconciler/worker/settle-window.ts',
    from: 'settings.settleMaxMs ?? Math.max(',
    to: 'Math.max(',
    test: 'e2e/engine/restart.test.ts',
  },
  {
    what: 'after a restore of etcd, the baselines count that were seen before it',
    file: 'reconciler/engine/engine.ts',
    from: '    this.#workloads.index.forgetSeen();\n',
    to: '',
    test: 'reconciler/engine/engine.changes.test.ts',
  },
  {
    what: 'settle-max counts from the last change',
    file: 'reconciler/worker/settle-window.ts',
    from: 'firstMs + settleMaxMs)',
    to: 'lastMs + settleMaxMs)',
    test: 'reconciler/worker/settle-window.test.ts',
  },
  {
    what: 'nothing is read after a 409',
    file: worker,
    from: 'if (refused === record.resourceVersion) {',
    to: 'if (refused === undefined) {',
    test: workerTest,
  },
  {
    what: 'a source that is not there is recorded as an empty one',
    file: 'shared/domain/baseline/recorded.ts',
    from: 'if (content === undefined) return absent;',
    to: "if (content === undefined) return Array.isArray(keys) ? new Map(keys.map((key) => [key, 'A'.repeat(22)])) : 'A'.repeat(22);",
    test: 'reconciler/sources/plan-from-index.test.ts',
  },
  {
    what: 'a standby drops hints',
    file: 'reconciler/engine/engine.ts',
    from: 'this.#workloads.index.usersOf(source).length > 0',
    to: 'this.#isInCharge() && this.#workloads.index.usersOf(source).length > 0',
    test: 'e2e/engine/channel.test.ts',
  },
  {
    what: 'digests of keys that are not in use are compared',
    file: 'shared/domain/sources/counted-keys.ts',
    from: 'if (!(keys instanceof KeyFilter)) return keys;',
    to: 'if (!(keys instanceof KeyFilter)) return [...names];',
    test: comparisonTest,
  },
  {
    what: 'excluded sources count',
    file: 'shared/domain/policy/policy.ts',
    from: "policy.excluded.has(source.name) ? no('excluded') : undefined",
    to: "policy.excluded.has('') ? no('excluded') : undefined",
    test: 'shared/domain/policy/policy.test.ts',
  },
  {
    what: 'a write of ours is forgotten once the index has moved on',
    file: 'reconciler/workloads/workload-index.ts',
    from: `      this.#entries.set(workload.key, undone);
      this.#options.onChange(undone);
`,
    to: '      void undone;\n',
    test: 'reconciler/workloads/workload-index.test.ts',
  },
  {
    what: 'what comes back is no change though another content was rolled out meanwhile',
    file: comparison,
    from: 'if (digests === current.whole()) return',
    to: `const first = input.inForce();
  if (digests === current.whole() || (first !== 'unknown' && first.content?.equals(current) === true)) return`,
    test: comparisonTest,
  },
  {
    what: 'a Job is deleted without its uid',
    file: 'reconciler/apply/job-journal.ts',
    from: '{ uid: metadata.uid, propagationPolicy',
    to: '{ propagationPolicy',
    test: 'reconciler/apply/job-journal.test.ts',
  },
  {
    what: 'the former holder of the Lease is lost with an answer',
    file: 'shared/kube/lease/lease.ts',
    from: 'const previous = this.#takenFrom ?? previousOf(lease);',
    to: 'const previous = previousOf(lease);',
    test: 'shared/kube/lease/lease.test.ts',
  },
  {
    what: 'only one former state is kept',
    file: 'reconciler/sources/previous-states.ts',
    from: 'states.length - budgets.formerStates',
    to: 'states.length - 1',
    test: 'reconciler/sources/previous-states.test.ts',
  },
  {
    what: 'a fold answers any content',
    file: folds,
    from: 'whole !== undefined && known.contents.get(id) === whole',
    to: 'whole !== undefined && known.contents.has(id)',
    test: foldsTest,
  },
  {
    what: 'a fold ignores a change that comes meanwhile',
    file: folds,
    from: 'if (this.#entries.get(key) !== entry) return wait;',
    to: '',
    test: foldsTest,
  },
  {
    what: 'the past is read one version late',
    file: contents,
    from: '[versionBefore(state.until), state.version]',
    to: '[state.until, state.version]',
    test: contentsTest,
  },
  {
    what: 'a new list removes nothing',
    file: 'shared/kube/list-watch/relist.ts',
    from: 'this.#delivery.complete(this.#seen);',
    to: 'this.#delivery.complete({ has: () => true } as never);',
    test: 'shared/kube/list-watch/reflector.list.test.ts',
  },
  {
    what: 'an expired token keeps the keys that were seen',
    file: 'shared/kube/list-watch/relist.ts',
    from: 'this.#seen.clear();',
    to: '',
    test: 'shared/kube/list-watch/reflector.list.test.ts',
  },
  {
    what: 'ignore and match are not dated',
    file: 'reconciler/sources/source-past.ts',
    from: 'Math.max(sinceMs, admittedMs)',
    to: 'sinceMs',
    test: 'reconciler/sources/source-index.test.ts',
  },
  {
    what: 'a restart that fails keeps the pause',
    file: worker,
    from: 'if (!mayBeStale(error)) await pauses.reconcile(workload.key);',
    to: '',
    test: workerTest,
  },
  {
    what: 'a CronJob is run though its baseline has moved',
    file: 'reconciler/apply/create-job.ts',
    from: 'const workload = readAgain(context, restart.workload, cronJob);',
    to: 'const { workload } = restart;',
    test: 'reconciler/apply/create-job.test.ts',
  },
  {
    what: 'a new leader does not list sources anew',
    file: 'reconciler/engine/engine.ts',
    from: `    this.#watch.known.forget();
    this.#reporter.lead(true);`,
    to: '    this.#reporter.lead(true);',
    test: 'e2e/engine/csi.test.ts',
  },
  {
    what: 'what a list shows of a status that was seen without versions is never a rotation',
    file: 'reconciler/sources/csi-rotations.ts',
    from: "before.content === undefined && origin === 'watch'",
    to: 'before.content === undefined',
    test: 'e2e/engine/csi.test.ts',
  },
  {
    what: 'what is listed long after a creation is taken for what was there then',
    file: 'shared/domain/plan/resolve.ts',
    from: 'if (!isOfCreation || !wasWatched)',
    to: 'if (!isOfCreation)',
    test: 'e2e/engine/copied-baselines.test.ts',
  },
  {
    what: 'a bulk list is believed at any version',
    file: contents,
    from: 'if (now?.resourceVersion === stored.resourceVersion)',
    to: 'if (now)',
    test: contentsTest,
  },
  {
    what: 'the restart id is constant',
    file: 'reconciler/worker/describe-restart.ts',
    from: 'const id = randomHex(random, 8);',
    to: "const id = randomHex(random, 8).replace(/./g, '0');",
    test: 'reconciler/worker/describe-restart.test.ts',
  },
  {
    what: 'what is unread counts as unchanged',
    file: 'shared/domain/plan/plan.ts',
    from: "if (verdicts.some(({ needsContent }) => needsContent)) return { action: 'read', verdicts };",
    to: '',
    test: 'reconciler/sources/plan-from-index.test.ts',
  },
  {
    what: 'what changed before a workload was opted in by a removal counts',
    file: 'reconciler/workloads/referenced-since.ts',
    from: 'isTold ? writeTimeMs(times, sets === true) : formerMs',
    to: 'isTold ? writtenAtMs : formerMs',
    test: 'reconciler/workloads/workload-index.test.ts',
  },
  {
    what: 'after a restore of etcd, nobody looks for Jobs that were on their way',
    file: 'reconciler/engine/engine.ts',
    from: 'if (this.#term) this.#recoverJobs();',
    to: '',
    test: 'e2e/engine/recovery.test.ts',
  },
  {
    what: 'a rotation is as old as the last pod that came to show it',
    file: 'reconciler/sources/csi-rotations.ts',
    from: 'isEarlier ? since(formerly.source, atMs) : formerly.source',
    to: 'formerly.source',
    test: 'reconciler/sources/csi-rotations.test.ts',
  },
  {
    what: 'a window is still open when it ends',
    file: 'shared/domain/gate-settings/restart-windows.ts',
    from: 'endMs(opensAtMs) <= nowMs) opensAtMs',
    to: 'endMs(opensAtMs) < nowMs) opensAtMs',
    test: 'shared/domain/gate-settings/restart-windows.test.ts',
  },
  {
    what: 'gates are asked before somebody else’s rollout is looked for, and not afterwards',
    file: worker,
    from: 'if (!now.isOpen) return await this.#defer(workload, changes, now.closed, owing);',
    to: '',
    test: workerTest,
  },
  {
    what: 'a restart that is held for more than an hour is forgotten',
    file: worker,
    from: "{ kind: 'again', afterMs: Math.min(leftMs, gateLookMs) }",
    to: "leftMs > gateLookMs ? { kind: 'done' } : { kind: 'again', afterMs: leftMs }",
    test: 'e2e/engine/gates.test.ts',
  },
  {
    what: 'what is owed and held is not recorded',
    file: worker,
    from: 'owing && (await this.#recordOwing(workload, owing))',
    to: 'undefined',
    test: 'e2e/engine/gates.test.ts',
  },
  {
    what: 'the first refusal to show what is held counts',
    file: 'reconciler/watch/known-gates.ts',
    from: 'const lastingMs = 15_000;',
    to: 'const lastingMs = 0;',
    test: 'reconciler/watch/known-gates.test.ts',
  },
  {
    what: 'a Job is created anew that has been held since its restart was planned',
    file: 'reconciler/apply/read-again.ts',
    from: ' && sameGateSettings(now.gates, record.gates)',
    to: '',
    test: 'reconciler/apply/read-again.test.ts',
  },
  {
    what: 'an urgent change waits for windows',
    file: 'shared/domain/gates/ask-gates.ts',
    from: '{ ask: windowGate, urgentPasses: true }',
    to: '{ ask: windowGate, urgentPasses: false }',
    test: 'shared/domain/gates/ask-gates.test.ts',
  },
  {
    what: 'what is left to the next rollout is restarted when it is urgent',
    file: 'shared/domain/gates/ask-gates.ts',
    from: '{ ask: nextRolloutGate, urgentPasses: false }',
    to: '{ ask: nextRolloutGate, urgentPasses: true }',
    test: 'shared/domain/gates/ask-gates.test.ts',
  },
  {
    what: 'only the first of several windows counts',
    file: 'shared/domain/gate-settings/restart-windows.ts',
    from: '.map((window) => nextOf(window, nowMs))',
    to: '.slice(0, 1).map((window) => nextOf(window, nowMs))',
    test: 'shared/domain/gate-settings/restart-windows.test.ts',
  },
  {
    what: 'a process restarts before it knows what is held',
    file: 'reconciler/engine/engine.ts',
    from: 'return this.#isInCharge() && this.#watch.gates.isKnown;',
    to: 'return this.#isInCharge();',
    test: 'e2e/engine/gates.test.ts',
  },
  {
    what: 'who begins to lead does not read the holds again',
    file: 'reconciler/watch/known-gates.ts',
    from: '    void this.#options.watches.listGatesAgain();',
    to: '    this.#isKnown = true;',
    test: 'e2e/engine/gates.test.ts',
  },
  {
    what: 'a restart whose watch is behind is taken for rolled out',
    file: 'reconciler/gates/rolling-workloads.ts',
    from: '    if (isOlder && !isOther) return;\n',
    to: '',
    test: 'reconciler/gates/rolling-workloads.test.ts',
  },
  {
    what: 'the next leader does not know what rolls',
    file: 'reconciler/gates/rolling-workloads.ts',
    from: '    for (const workload of restarted) this.saw(workload);\n',
    to: '',
    test: 'reconciler/gates/rolling-workloads.test.ts',
  },
  {
    what: 'a woken restart holds no place',
    file: 'reconciler/gates/restart-turns.ts',
    from: '        rolling.take(restart.workload);\n',
    to: '',
    test: 'reconciler/gates/restart-turns.test.ts',
  },
];
