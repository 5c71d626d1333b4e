import { errorMessage } from '../../shared/domain/errors';
import { splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { NotFoundError } from '../../shared/kube/errors';
import { getObject } from '../../shared/kube/client/objects';
import type { Logger } from '../../shared/runtime/log/logger';
import { failedAttempt } from '../queue/failed-attempt';
import type { QueueResult } from '../queue/key-queue';
import type { WorkloadRefs } from './workload-refs';
import { workloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadIndex } from './workload-index';

export interface ReferencedDeploymentReaderOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly refs: Pick<WorkloadRefs, 'read' | 'sink'>;
  readonly workloads: Pick<WorkloadIndex, 'get'>;
}

/**
 * Reads a Deployment by name when a Rollout begins or ends to take its template: its watch has nothing to say then, and
 * of workloads that ask for nothing no template is kept.
 */
export class ReferencedDeploymentReader {
  readonly #options: ReferencedDeploymentReaderOptions;

  constructor(options: ReferencedDeploymentReaderOptions) {
    this.#options = options;
  }

  /** Never rejects: what goes wrong is the result. */
  async process(key: ObjectKey): Promise<QueueResult> {
    const { client, logger, refs, workloads } = this.#options;
    const { namespace, name } = splitObjectKey(key);
    try {
      const object = await getObject(client, workloadKind('Deployment').resource, namespace, name);
      const record = refs.read('Deployment', object);
      const known = workloads.get(workloadKey('Deployment', namespace, name))?.record;
      // The watch was faster, and what it brought was read in view of the loan.
      const isBehind = known?.uid === record.uid && isOlderVersion(record.resourceVersion, known.resourceVersion);
      if (!isBehind) refs.sink('Deployment', namespace, () => undefined).upsert(record, 'list');
      return { kind: 'done' };
    } catch (error) {
      // When it is created, the watch brings it.
      if (error instanceof NotFoundError) return { kind: 'done' };
      logger.warn('cannot read the Deployment whose template a Rollout takes; trying again', {
        workload: `Deployment ${key}`,
        error: errorMessage(error),
      });
      return failedAttempt(error);
    }
  }
}
