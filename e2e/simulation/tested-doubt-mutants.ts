import type { TestedMutant } from './mutants';

const writes = 'reconciler/worker/baseline-writes.ts';
const unanswered = 'reconciler/worker/unanswered-restarts.ts';
const journal = 'reconciler/apply/job-journal.ts';
const journalTest = 'reconciler/apply/job-journal.test.ts';

/** Bugs after a write whose answer is lost, and after a restore of etcd. Each is found by its `test`. */
export const testedDoubtMutants: readonly TestedMutant[] = [
  {
    what: 'a record without an answer passes for a restart that was refused before it',
    file: writes,
    from: '    this.#unanswered.seen(version);\n',
    to: '',
    test: 'reconciler/worker/worker.test.ts',
  },
  {
    what: 'a later version without a restart does not show that its write was refused',
    file: unanswered,
    from: 'return hasSameBaseline(before, record) && isOlderVersion(before.resourceVersion, record.resourceVersion);',
    to: 'return false;',
    test: 'reconciler/worker/unanswered-restarts.test.ts',
  },
  {
    what: 'a restart whose baseline and answer are lost is made again',
    file: writes,
    from: "    if (await this.#keepUnrecorded(workload)) return { kind: 'again', afterMs: 0 };\n",
    to: '',
    test: 'e2e/engine/stripped-markers.test.ts',
  },
  {
    what: 'a restart that lost its answer and its marker is lost once somebody scales the Deployment',
    file: unanswered,
    from: 'return now.revision === undefined ? undefined : now.revision !== before.revision;',
    to: 'return true;',
    test: 'e2e/engine/unanswered-restarts.test.ts',
  },
  {
    what: 'a restart without an answer is judged before the controller has seen the Deployment',
    file: unanswered,
    from: 'return now.revision === undefined ? undefined : now.revision !== before.revision;',
    to: 'return now.revision !== before.revision;',
    test: 'e2e/engine/unanswered-restarts.test.ts',
  },
  {
    what: 'nobody looks whether a Rollout was stored without spec.restartAt',
    file: unanswered,
    from: "return restartsAtMs >= atMs ? undefined : 'spec.restartAt';",
    to: 'return undefined;',
    test: 'e2e/engine/unanswered-restarts.test.ts',
  },
  {
    what: 'a held CronJob has another Job for the same change once another source is recorded',
    file: 'reconciler/apply/create-job.ts',
    from: '  if (last !== undefined) return `${formatBaseline({ ...baseline, sequence: 0, sources })} ${last}`;\n',
    to: '',
    test: 'e2e/engine/runs-of-cronjobs.test.ts',
  },
  {
    what: 'a recreated Job is not reported if the answer to the removal of its entry is lost',
    file: journal,
    from: 'if (claim) this.#open.set(name, { ...claim, end });',
    to: 'void claim;',
    test: journalTest,
  },
  {
    what: 'a former leader ends the entry of a Job that the next one created',
    file: journal,
    from: `      // Another leader may have created it, and reports it.
      this.#options.assertLeading();
`,
    to: '',
    test: journalTest,
  },
  {
    what: 'a put-back without an answer is not reported',
    file: 'reconciler/rollback/rollbacks.ts',
    from: '    this.#reportUnanswered(source);\n',
    to: '',
    test: 'e2e/engine/rollback-faults.test.ts',
  },
  {
    what: 'a workload that is older than it was shown says nothing of a restore',
    file: 'reconciler/worker/refused-versions.ts',
    from: 'if (isOlderVersion(found.resourceVersion, refused)) onRestored(found.resourceVersion);',
    to: '',
    test: 'e2e/engine/recovery.test.ts',
  },
  {
    what: 'a workload that a list shows older than before says nothing of a restore',
    file: 'reconciler/engine/build-workloads.ts',
    from: "if (origin === 'list' && index.hasShownLater(record)) events.onRestored(record.resourceVersion);\n          else ",
    to: '',
    test: 'e2e/engine/recovery.test.ts',
  },
  {
    what: 'a baseline in memory outdoes what a restore of etcd has brought back',
    file: 'reconciler/workloads/workload-index.ts',
    from: '...{ baseline: { ...baseline, sequence: 0 }, keptOver: -1 },',
    to: '',
    test: 'reconciler/workloads/workload-index.test.ts',
  },
  {
    what: 'a baseline in memory outdoes what another leader has stored since',
    file: 'reconciler/workloads/workload-entry.ts',
    from: 'keptOver >= (read?.sequence ?? -1)',
    to: 'baseline.sequence > (read?.sequence ?? -1)',
    test: 'reconciler/workloads/workload-index.test.ts',
  },
  {
    what: 'what was kept for a rollback still counts as kept after a restore of etcd',
    file: 'reconciler/engine/engine.ts',
    from: '    this.#work.rollback?.rollbacks.restored();\n',
    to: '',
    test: 'e2e/engine/rollback-faults.test.ts',
  },
  {
    what: 'a watch that lags brings back a source that a read found to be deleted',
    file: 'reconciler/sources/source-index.ts',
    from: 'if (!isBehind && !isDeleted)',
    to: 'if (!isBehind)',
    test: 'reconciler/sources/source-index.test.ts',
  },
];
