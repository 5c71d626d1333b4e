import { workloadKinds } from '../kubernetes/workload-kinds';
import { workloadKey, type WorkloadKey } from '../plan/tracked-workload';
import type { RankedWorkload } from './canary-order';

/** A workload that restarts before another one, whatever its wave. It need not exist. */
export interface NamedPredecessor {
  readonly key: WorkloadKey;
  readonly by: 'after' | 'owner';
}

/** The workloads that `reroll.dev/after` names, and the one that controls this one. */
export function predecessorsOf({ key, record }: RankedWorkload): readonly NamedPredecessor[] {
  const { namespace, gates, controlledBy } = record;
  const named = (gates?.after ?? []).map(({ kind, name }) => ({
    key: workloadKey(kind, namespace, name),
    by: 'after' as const,
  }));
  const ownerKind = workloadKinds.find(({ kind }) => kind === controlledBy?.kind)?.kind;
  const owner =
    ownerKind && controlledBy
      ? [{ key: workloadKey(ownerKind, namespace, controlledBy.name), by: 'owner' as const }]
      : [];
  return [...named, ...owner].filter((predecessor) => predecessor.key !== key);
}
