import { gateAnnotations } from '../annotations/annotations';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import type { RolloutHealth } from '../workloads/rollout-health';
import type { ClosedGate } from './gate';

/** What a workload that comes before another has still to do. */
export type PredecessorStanding = 'done' | 'owes' | 'rolling' | 'held' | 'failed';

/** A workload that comes before another, and what says so. */
export interface Predecessor {
  readonly kind: WorkloadKindName;
  readonly name: string;
  readonly by: 'after' | 'owner' | { readonly wave: number };
  readonly standing: PredecessorStanding;
}

const missing: Readonly<Record<Exclude<PredecessorStanding, 'done'>, string>> = {
  owes: 'has still to restart',
  rolling: 'is still rolling out',
  held: 'is not rolled out: it is paused or not complete',
  failed: 'has failed to roll out',
};

/** `owes`: a restart for the same change is owed to it, or may be. */
export function predecessorStanding(owes: boolean, state: RolloutHealth['state']): PredecessorStanding {
  if (owes) return 'owes';
  return state === 'healthy' || state === 'unknown' ? 'done' : state;
}

/** A workload that comes before this one is not done. The first of them is told. */
export function orderGate(predecessors: Iterable<Predecessor>): ClosedGate | undefined {
  for (const { kind, name, by, standing } of predecessors) {
    if (standing === 'done') continue;
    return { gate: 'order', untilMs: undefined, detail: `${saidBy(by)}: ${kind} ${name} ${missing[standing]}` };
  }
  return undefined;
}

function saidBy(by: Predecessor['by']): string {
  if (by === 'after') return gateAnnotations.after;
  return by === 'owner' ? 'its owner comes first' : `${gateAnnotations.wave} ${by.wave} comes first`;
}
