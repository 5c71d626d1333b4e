import { RerollError } from '../../shared/domain/errors';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { sameReferences } from '../../shared/domain/sources/references';
import { trackingSignature } from '../../shared/domain/workloads/workload';
import { sameSettings } from '../../shared/domain/workloads/workload-settings';
import { ConflictError, NotFoundError } from '../../shared/kube/errors';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { ApplyContext } from './restart';

/** The workload changed since its plan was made. A new plan from fresh state resolves it. */
export class StaleWorkloadError extends RerollError {
  constructor({ record }: TrackedWorkload) {
    super(`${record.kind} ${record.namespace}/${record.name} has changed since its restart was planned`, {
      code: 'STALE_WORKLOAD',
    });
  }
}

/** The workload was changed meanwhile. That is no failure: it is processed again. */
export function isConflict(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof StaleWorkloadError;
}

/** Whether the planned version may be outdated. 404 counts, too: only the watch reports that a workload is deleted. */
export function mayBeStale(error: unknown): boolean {
  return isConflict(error) || error instanceof NotFoundError;
}

/**
 * The workload at the version just read, if the plan still applies. Throws a {@link StaleWorkloadError} if it is
 * another object, asks for something else by now or in another way, or was written by another replica. Its status is not
 * compared: that of a running Job changes all the time.
 */
export function readAgain(
  { read }: Pick<ApplyContext, 'read'>,
  workload: TrackedWorkload,
  object: KubeObject,
): TrackedWorkload {
  const { record } = workload;
  const now = read(record.kind, object);
  const isSame = now.uid === record.uid && now.baselineText === record.baselineText && now.deleting === record.deleting;
  const isAskedSame = trackingSignature(now) === trackingSignature(record) && sameGateSettings(now.gates, record.gates);
  const isSameWay = sameSettings(now.settings, record.settings) && now.rollout?.strategy === record.rollout?.strategy;
  // The marker may be for a container that another template does not have.
  const isSameTarget =
    sameReferences(now.references, record.references) && now.firstContainer === record.firstContainer;
  if (!isSame || !isAskedSame || !isSameWay || !isSameTarget) throw new StaleWorkloadError(workload);
  return { ...workload, record: { ...record, resourceVersion: now.resourceVersion, generation: now.generation } };
}
