import type { SourceKind } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObjectAt, type KubeObject, type RequestLimits } from '../../shared/kube/client/objects';
import { ComparableVersions } from './comparable-versions';

/** The state of workloads at the time a source was written. */
export class WorkloadHistory {
  readonly #client: KubeClient;
  readonly #limits: RequestLimits;
  readonly #versions: ComparableVersions;

  /** `limits` apply to each request. */
  constructor(client: KubeClient, limits: RequestLimits = {}) {
    this.#client = client;
    this.#limits = limits;
    this.#versions = new ComparableVersions(client, limits);
  }

  /**
   * The workload at a resourceVersion of one of these kinds of sources; undefined: it did not exist, or that cannot be
   * known.
   * @throws GoneError if it is too long ago, and the other KubeErrors
   */
  async at(
    workload: WorkloadRecord,
    version: string,
    sourceKinds: Iterable<SourceKind>,
  ): Promise<KubeObject | undefined> {
    const { kind, namespace, name } = workload;
    for (const sourceKind of sourceKinds) {
      if (!(await this.#versions.ask(kind, namespace, sourceKind))) return undefined;
    }
    return await getObjectAt(this.#client, workloadKind(kind).resource, namespace, name, version, this.#limits);
  }
}
