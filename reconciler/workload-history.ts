import type { SourceKind } from '../shared/domain/source';
import type { WorkloadRecord } from '../shared/domain/workload';
import { workloadKind, type WorkloadKindName } from '../shared/domain/workload-kinds';
import type { KubeClient } from '../shared/kube/client';
import { getObjectAt, type KubeObject, type RequestLimits } from '../shared/kube/objects';
import { shareVersions } from '../shared/kube/shared-versions';
import { sourceResources } from '../shared/kube/source-resources';

/**
 * What workloads were when a source was written. Versions of two resources may only be compared where one etcd gives out
 * both, so that is asked first; it is a flag of the API server, so the answer is kept.
 */
export class WorkloadHistory {
  readonly #client: KubeClient;
  readonly #limits: RequestLimits;
  readonly #sharing = new Map<string, Promise<boolean>>();

  /** `limits` are those of each request. */
  constructor(client: KubeClient, limits: RequestLimits = {}) {
    this.#client = client;
    this.#limits = limits;
  }

  /**
   * The workload at a version that sources of these kinds have given; undefined: there was none, or that cannot be known.
   *
   * @throws GoneError where it is too long ago, and the other KubeErrors
   */
  async at(
    workload: WorkloadRecord,
    version: string,
    sourceKinds: Iterable<SourceKind>,
  ): Promise<KubeObject | undefined> {
    const { kind, namespace, name } = workload;
    for (const sourceKind of sourceKinds) {
      if (!(await this.#sharesVersions(kind, namespace, sourceKind))) return undefined;
    }
    return await getObjectAt(this.#client, workloadKind(kind).resource, namespace, name, version, this.#limits);
  }

  async #sharesVersions(kind: WorkloadKindName, namespace: string, sourceKind: SourceKind): Promise<boolean> {
    const pair = `${kind}/${sourceKind}`;
    const known = this.#sharing.get(pair);
    if (known) return await known;
    const resources = [workloadKind(kind).resource, sourceResources[sourceKind]] as const;
    const asked = shareVersions(this.#client, namespace, ...resources, this.#limits);
    this.#sharing.set(pair, asked);
    try {
      return await asked;
    } catch (error) {
      this.#sharing.delete(pair);
      throw error;
    }
  }
}
