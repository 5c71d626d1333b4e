import type { ApplyMethod } from '../../shared/domain/kubernetes/workload-kinds';
import { applyMethods } from '../apply/methods';
import { annotateWorkload } from '../apply/patch-workload';
import type { Apply, ApplyContext } from '../apply/restart';
import type { JobJournal } from '../apply/job-journal';
import type { WrittenVersion } from '../workloads/workload-entry';
import { Pauses, type PausesOptions } from './pauses';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

/** Everything in a worker that may write, so that it can be replaced in one place. */
export interface Writers {
  readonly methods: Readonly<Record<ApplyMethod, Apply>>;
  /** Writes only annotations. Resolves to undefined if Reroll may not: their content is kept in memory. */
  readonly annotate: (
    context: ApplyContext,
    workload: TrackedWorkload,
    annotations: Readonly<Record<string, string | null>>,
  ) => Promise<WrittenVersion | undefined>;
  readonly pauses: Pick<Pauses, 'pauseFor' | 'reconcile'>;
  readonly journal: Pick<JobJournal, 'standing'>;
}

export function writersFor(journal: JobJournal, pauses: PausesOptions): Writers {
  return { methods: applyMethods(journal), annotate: annotateWorkload, pauses: new Pauses(pauses), journal };
}

const withheld: Apply = () => Promise.resolve({ kind: 'withheld' });

/** For a dry run: nothing is written, and what a write would have recorded is kept in memory. */
export const dryRunWriters: Writers = {
  methods: { patch: withheld, merge: withheld, rollout: withheld, 'create-job': withheld, recreate: withheld },
  annotate: () => Promise.resolve(undefined),
  pauses: { pauseFor: () => undefined, reconcile: () => Promise.resolve({ kind: 'done' }) },
  journal: { standing: () => 'free' },
};

/** For a dry run: records no Event. */
export const dryRunEvents = { dropped: 0, record: () => Promise.resolve(), stop: () => Promise.resolve() };
