import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { installHoldName } from '../../shared/domain/annotations/annotations';
import type { ForbiddenError } from '../../shared/kube/errors';
import { resourceName } from '../../shared/kube/resource';
import type { Logger } from '../../shared/runtime/log/logger';
import type { RefusedGate } from '../watch/watches';

const gateConsequences: Readonly<Record<RefusedGate['what'], string>> = {
  namespaces: 'namespaces: their annotations, such as reroll.dev/hold and reroll.dev/windows, have no effect',
  'install-hold': `ConfigMap ${installHoldName} in Reroll's namespace: creating that ConfigMap does not stop restarts`,
};

/** Logs each missing permission once, with its consequence. */
export class MissingPermissions {
  readonly #logger: Logger;
  readonly #reported = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** What was reported since the start. A permission that was granted since is still here. */
  get reported(): readonly string[] {
    return [...this.#reported];
  }

  /** Reroll may not write annotations on workloads of this kind. */
  annotations(kind: WorkloadKindName, error: ForbiddenError): void {
    const name = resourceName(workloadKind(kind).resource);
    this.#report(
      `missing permission to patch ${name}: their baselines are kept in memory, so changes made while this process is down do not ` +
        'restart them',
      error,
    );
  }

  /** Reroll may not write journal entries. */
  journal(error: ForbiddenError): void {
    this.#report(
      'missing permission to keep a journal of Jobs that are being recreated: if this process ends between the deletion of a Job and ' +
        'its creation, the Job is lost',
      error,
    );
  }

  /** Reroll may not keep the history of restarts. */
  history(error: ForbiddenError): void {
    this.#report(
      'missing permission to keep the history of restarts in ConfigMaps: it is in memory alone, and ends with this process',
      error,
    );
  }

  /** Reroll may not list something that may keep restarts from beginning. */
  gates({ what, error }: RefusedGate): void {
    this.#report(`missing permission to list and watch ${gateConsequences[what]}`, error);
  }

  #report(message: string, error: ForbiddenError): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#logger.warn(message, { error: error.message });
  }
}
