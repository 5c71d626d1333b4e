import type { GateSettings } from '../gate-settings/gate-settings';
import type { LocalWorkloadName } from '../gate-settings/restart-order';
import { workloadKinds } from '../kubernetes/workload-kinds';
import { workloadKey, type WorkloadKey } from '../plan/tracked-workload';
import type { RankedWorkload } from './canary-order';

/** Why a workload comes before another one, whatever its wave. */
export type NamedBy = 'after' | 'owner';

/** A workload that restarts before another one, whatever its wave. It need not exist. */
export interface NamedPredecessor {
  readonly key: WorkloadKey;
  readonly by: NamedBy;
}

/** What says of a workload which others come before it. */
export interface Ordered {
  readonly gates?: GateSettings | undefined;
  readonly controlledBy: { readonly kind: string; readonly name: string } | undefined;
}

/** The workloads of its namespace that `reroll.dev/after` names, and the one that controls this one. */
export function namedBefore({
  gates,
  controlledBy,
}: Ordered): readonly (LocalWorkloadName & { readonly by: NamedBy })[] {
  const named = (gates?.after ?? []).map(({ kind, name }) => ({ kind, name, by: 'after' as const }));
  const kind = workloadKinds.find((each) => each.kind === controlledBy?.kind)?.kind;
  return kind && controlledBy ? [...named, { kind, name: controlledBy.name, by: 'owner' as const }] : named;
}

/** The same by their keys, without the workload itself. */
export function predecessorsOf({ key, record }: RankedWorkload): readonly NamedPredecessor[] {
  return namedBefore(record)
    .map(({ kind, name, by }) => ({ key: workloadKey(kind, record.namespace, name), by }))
    .filter((predecessor) => predecessor.key !== key);
}
