import type { ApplyMethod } from '../../shared/domain/workload-kinds';
import type { JobJournal } from '../job-journal';
import { createJobFromCronJob } from './create-job';
import { patchWorkload } from './patch-workload';
import { recreateJob } from './recreate-job';
import type { Apply } from './restart';

/** How each kind of workload is restarted. */
export function applyMethods(journal: JobJournal): Readonly<Record<ApplyMethod, Apply>> {
  return {
    patch: patchWorkload,
    'create-job': createJobFromCronJob,
    recreate: recreateJob(journal),
  };
}
