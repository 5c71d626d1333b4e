import type { Mutant } from './mutants';

const watches = 'reconciler/watch/watches.ts';

/** Bugs of an engine that show after a restore of etcd. */
export const restoreMutants: readonly Mutant[] = [
  {
    what: 'after a restore of etcd, workloads are not listed anew',
    file: watches,
    from: 'await this.#listAgain(this.#watches, this.#addOns);',
    to: 'await this.#listAgain(this.#watches.filter(({ sourceKind }) => sourceKind), this.#csi ? [this.#csi] : []);',
  },
  {
    what: 'after a restore of etcd, sources are not listed anew',
    file: watches,
    from: 'await this.#listAgain(this.#watches, this.#addOns);',
    to: 'await this.#listAgain(this.#watches.filter(({ sourceKind }) => !sourceKind), []);',
  },
  {
    what: 'a version that a restore of etcd has undone is asked for until it comes',
    file: 'reconciler/reading/content-loader.ts',
    from: '!(error instanceof GoneError) && !isToCome',
    to: '!(error instanceof GoneError)',
  },
];

/**
 * Bugs of an engine that show if somebody else's admission webhook alters its writes, or refuses a write whose dry run
 * it allowed.
 */
export const gatekeeperMutants: readonly Mutant[] = [
  {
    what: 'a restart whose marker was taken out counts as one',
    file: 'reconciler/apply/patch-workload.ts',
    from: 'if (lost !== undefined) throw new MarkerLostError(workload, lost, versionToTakeBack(workload, annotations, stored));',
    to: '',
  },
  {
    what: 'the record of a restart whose marker was taken out stays',
    file: 'reconciler/worker/baseline-writes.ts',
    from: '    if (stored === undefined) return;\n    const owed',
    to: "    if (stored !== '') return;\n    const owed",
  },
  {
    what: 'the Job of a CronJob blocks the deletion of that',
    file: 'reconciler/apply/create-job.ts',
    from: 'uid, controller: true }]',
    to: 'uid, controller: true, blockOwnerDeletion: true }]',
  },
  {
    what: 'a Job whose creation is refused is given up',
    file: 'reconciler/worker/job-worker.ts',
    from: '        return failedAttempt(step.error);',
    to: "        return { kind: 'done' };",
  },
];

/** Bugs of an engine that show after the install has lost its digest key. */
export const digestKeyMutants: readonly Mutant[] = [
  {
    what: 'what was recorded under another digest key is compared',
    file: 'reconciler/workloads/stored-baseline.ts',
    from: 'if (keys.isOwn(baseline.keyId)) return { baseline, problem: undefined };',
    to: "if (baseline.keyId !== '') return { baseline, problem: undefined };",
  },
];
