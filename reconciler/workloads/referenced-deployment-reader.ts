import { errorMessage } from '../../shared/domain/errors';
import { splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { NotFoundError } from '../../shared/kube/errors';
import { getObject } from '../../shared/kube/client/objects';
import type { Logger } from '../../shared/runtime/log/logger';
import { failedAttempt, type QueueResult } from '../queue/key-queue';
import type { WorkloadRefs } from './workload-refs';
import { workloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadIndex } from './workload-index';

export interface ReferencedDeploymentReaderOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly refs: Pick<WorkloadRefs, 'read' | 'referenced' | 'sink'>;
  readonly workloads: Pick<WorkloadIndex, 'get' | 'untrackedBecause' | 'readFirst'>;
}

/**
 * Reads a Deployment by name when a Rollout starts or stops referring to it. Its watch has no event then, and the
 * template of a workload that asks for nothing is not kept.
 */
export class ReferencedDeploymentReader {
  readonly #options: ReferencedDeploymentReaderOptions;
  /** Deployments that are being read, and whose removal was not shown meanwhile. */
  readonly #underWay = new Set<ObjectKey>();

  constructor(options: ReferencedDeploymentReaderOptions) {
    this.#options = options;
  }

  /** The watch or a list shows that a Deployment is gone. A read that is under way may show an earlier state. */
  removed(key: ObjectKey): void {
    this.#underWay.delete(key);
  }

  /** Never rejects: a failure is part of the result. */
  async process(key: ObjectKey): Promise<QueueResult> {
    const { client, logger, refs, workloads } = this.#options;
    const { namespace, name } = splitObjectKey(key);
    this.#underWay.add(key);
    try {
      const object = await getObject(client, workloadKind('Deployment').resource, namespace, name);
      // A removal is shown only once, so nothing else would ever correct what was read before it.
      if (!this.#underWay.has(key)) return await this.process(key);
      const record = refs.read('Deployment', object);
      const id = workloadKey('Deployment', namespace, name);
      const known = workloads.get(id)?.record;
      const isNew = !known && workloads.untrackedBecause(id) === undefined;
      // If the watch was faster, it has decoded the Deployment with the reference already.
      const shown = known ?? refs.referenced(key);
      const isBehind = shown !== undefined && isOlderVersion(record.resourceVersion, shown.resourceVersion);
      if (!isBehind) refs.sink('Deployment', namespace, () => undefined).upsert(record, 'list');
      if (isNew) workloads.readFirst(record);
      return { kind: 'done' };
    } catch (error) {
      // When the Deployment is created, the watch shows it.
      if (error instanceof NotFoundError) return { kind: 'done' };
      logger.warn('cannot read the Deployment that a Rollout refers to; trying again', {
        workload: `Deployment ${key}`,
        error: errorMessage(error),
      });
      return failedAttempt(error);
    } finally {
      this.#underWay.delete(key);
    }
  }
}
