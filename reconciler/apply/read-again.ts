import { RerollError } from '../../shared/domain/errors';
import { trackingSignature } from '../../shared/domain/workloads/workload';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { ApplyContext } from './restart';

/** The workload is no longer what its plan was made for; a new plan from fresh state settles it. */
export class StaleWorkloadError extends RerollError {
  constructor({ record }: TrackedWorkload) {
    super(`${record.kind} ${record.namespace}/${record.name} has changed since its restart was planned`, {
      code: 'STALE_WORKLOAD',
    });
  }
}

/**
 * The workload at the version just read, if what the plan rests on still stands. Throws a {@link StaleWorkloadError}
 * where it is another object, asks for something else by now, or was written by another of us. Its status may be new: that
 * of a Job that runs changes all the time.
 */
export function readAgain(
  { read }: Pick<ApplyContext, 'read'>,
  workload: TrackedWorkload,
  object: KubeObject,
): TrackedWorkload {
  const { record } = workload;
  const now = read(record.kind, object);
  const isSame = now.uid === record.uid && now.baselineText === record.baselineText && now.deleting === record.deleting;
  if (!isSame || trackingSignature(now) !== trackingSignature(record)) throw new StaleWorkloadError(workload);
  return { ...workload, record: { ...record, resourceVersion: now.resourceVersion } };
}
