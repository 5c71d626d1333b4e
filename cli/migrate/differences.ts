import type { Advice } from './advice';
import { checksumAlone, checksumAndRestarts } from './checksum-annotations';
import type { DifferenceCode } from './difference-codes';
import type { MigrationSubject } from './migration-subject';
import { cronJob, job, jobOfCronJob, jobTemplate, manualSelector } from './reloader-jobs';
import { deploymentConfig, pause, pauseOfReferenced, rollout, workloadRef } from './reloader-kinds';
import { badPattern, limit, narrowed } from './reloader-policy';
import { marker, secondVolume, singleKeys } from './reloader-sources';
import { waveFinalizer, waveLeftover, waveOptIn, waveOtherNamespace, waveScheduling } from './wave-annotations';

/** Finds one difference in a workload. */
type Difference = (subject: MigrationSubject) => Iterable<Advice>;

/** What behaves differently under Reroll: a row is a difference. */
export const differences: Readonly<Record<DifferenceCode, Difference>> = {
  'reloader-narrowed': narrowed,
  'reloader-bad-pattern': badPattern,
  'reloader-limit': limit,
  'reloader-keys': singleKeys,
  'reloader-second-volume': secondVolume,
  'reloader-marker': marker,
  'reloader-pause': pause,
  'reloader-pause-borrowed': pauseOfReferenced,
  'reloader-job': job,
  'reloader-manual-selector': manualSelector,
  'reloader-cronjob': cronJob,
  'reloader-job-template': jobTemplate,
  'reloader-job-of-cronjob': jobOfCronJob,
  'reloader-rollout': rollout,
  'reloader-workload-ref': workloadRef,
  'reloader-deployment-config': deploymentConfig,
  'wave-opt-in': waveOptIn,
  'wave-other-namespace': waveOtherNamespace,
  'wave-scheduling': waveScheduling,
  'wave-finalizer': waveFinalizer,
  'wave-leftover': waveLeftover,
  'checksum-and-restarts': checksumAndRestarts,
  'checksum-alone': checksumAlone,
};
