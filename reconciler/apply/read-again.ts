import { ownAnnotations } from '../../shared/domain/annotations';
import { RerollError } from '../../shared/domain/errors';
import type { KubeObject } from '../../shared/kube/objects';
import type { TrackedWorkload } from '../workload-index';

/** The workload is no longer what its plan was made for; a new plan from fresh state settles it. */
export class StaleWorkloadError extends RerollError {
  constructor({ record }: TrackedWorkload) {
    super(`${record.kind} ${record.namespace}/${record.name} has changed since its restart was planned`, {
      code: 'STALE_WORKLOAD',
      retry: 'now',
    });
  }
}

/**
 * The workload at the version just read, if what the plan rests on still stands. Throws a {@link StaleWorkloadError}
 * where it is another object, or was written by another of us.
 */
export function readAgain(workload: TrackedWorkload, object: KubeObject): TrackedWorkload {
  const { record } = workload;
  const { uid, resourceVersion, annotations } = object.metadata;
  if (uid !== record.uid || annotations?.[ownAnnotations.baseline] !== record.baselineText) {
    throw new StaleWorkloadError(workload);
  }
  return { ...workload, record: { ...record, resourceVersion } };
}
