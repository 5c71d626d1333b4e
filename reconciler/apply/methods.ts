import type { ApplyMethod } from '../../shared/domain/kubernetes/workload-kinds';
import type { JobJournal } from './job-journal';
import { createJobFromCronJob } from './create-job';
import { mergeTemplate } from './merge-template';
import { patchWorkload } from './patch-workload';
import { recreateJob } from './recreate-job';
import type { Apply } from './restart';
import { restartRollout } from './restart-rollout';

/** How each kind of workload is restarted. */
export function applyMethods(journal: JobJournal): Readonly<Record<ApplyMethod, Apply>> {
  return {
    patch: patchWorkload,
    merge: mergeTemplate,
    rollout: restartRollout,
    'create-job': createJobFromCronJob,
    recreate: recreateJob(journal),
  };
}
