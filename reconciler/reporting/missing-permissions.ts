import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ForbiddenError } from '../../shared/kube/errors';
import { resourceName } from '../../shared/kube/resource';
import type { Logger } from '../../shared/runtime/log/logger';

/** Says of each right that is missing what that costs, once. */
export class MissingPermissions {
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Annotations of workloads of a kind may not be written. */
  annotations(kind: WorkloadKindName, error: ForbiddenError): void {
    const name = resourceName(workloadKind(kind).resource);
    this.#tell(
      `no right to patch ${name}: their baselines are kept in memory, so what changes while this process is down does not ` +
        'restart them',
      error,
    );
  }

  /** Entries of the journal may not be written. */
  journal(error: ForbiddenError): void {
    this.#tell(
      'no right to keep a journal of Jobs that are created anew: if this process ends between the deletion and the creation ' +
        'of a Job, that Job is lost',
      error,
    );
  }

  #tell(message: string, error: ForbiddenError): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#logger.warn(message, { error: error.message });
  }
}
