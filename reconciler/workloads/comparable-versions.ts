import type { SourceKind } from '../../shared/domain/sources/source';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import type { RequestLimits } from '../../shared/kube/client/objects';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import type { Resource } from '../../shared/kube/resource';
import { shareVersions } from '../../shared/kube/client/shared-versions';
import { sourceResources } from '../../shared/kube/sources/source-decoder';

/**
 * Whether the resourceVersions of a workload and a source show which was written first. They do if one etcd issues
 * both, which is checked before the first use. It depends on a flag of the API server, so the answer is cached.
 */
export class ComparableVersions {
  readonly #client: KubeClient;
  readonly #limits: RequestLimits;
  readonly #known = new Map<string, boolean>();
  /** Pairs that may not be listed. The permission may be granted later. */
  readonly #refused = new Set<string>();
  readonly #underWay = new Map<string, Promise<boolean>>();

  /** `limits` apply to each request. */
  constructor(client: KubeClient, limits: RequestLimits = {}) {
    this.#client = client;
    this.#limits = limits;
  }

  /** Undefined: nobody has asked yet. */
  known(kind: WorkloadKindName, sourceKind: SourceKind): boolean | undefined {
    const pair = pairOf(kind, sourceKind);
    return this.#known.get(pair) ?? (this.#refused.has(pair) ? false : undefined);
  }

  /** False if one of the kinds may not be listed. Throws KubeErrors. */
  async ask(kind: WorkloadKindName, namespace: string, sourceKind: SourceKind): Promise<boolean> {
    const pair = pairOf(kind, sourceKind);
    const known = this.#known.get(pair);
    if (known !== undefined) return known;
    const asking = this.#underWay.get(pair) ?? this.#ask(pair, namespace, workloadKind(kind).resource, sourceKind);
    this.#underWay.set(pair, asking);
    try {
      return await asking;
    } finally {
      this.#underWay.delete(pair);
    }
  }

  async #ask(pair: string, namespace: string, workloads: Resource, sourceKind: SourceKind): Promise<boolean> {
    try {
      const sources = sourceResources[sourceKind];
      const answer = await shareVersions(this.#client, namespace, workloads, sources, this.#limits);
      this.#known.set(pair, answer);
      return answer;
    } catch (error) {
      if (!isRbacForbidden(error)) throw error;
      this.#refused.add(pair);
      return false;
    }
  }
}

function pairOf(kind: WorkloadKindName, sourceKind: SourceKind): string {
  return `${kind}/${sourceKind}`;
}
