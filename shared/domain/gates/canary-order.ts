import type { GateSettings } from '../gate-settings/gate-settings';
import type { TrackedWorkload } from '../plan/tracked-workload';
import { rollsOut } from '../workloads/rollout-progress';

/** What says when a workload restarts. */
export type RankedWorkload = Pick<TrackedWorkload, 'key' | 'record'>;

/**
 * Who restarts first for a change: lower waves, then the one that is annotated as the canary, then those that can show
 * best whether the change is good, then those with the fewest pods. Each leader comes to the same order.
 */
export function canaryOrder(left: RankedWorkload, right: RankedWorkload): number {
  const [one, other] = [rankOf(left), rankOf(right)];
  const index = one.findIndex((value, at) => value !== other[at]);
  if (index >= 0) return (one[index] ?? 0) - (other[index] ?? 0);
  return left.key < right.key ? -1 : 1;
}

/** Lower waves restart first. */
export function waveOf({ record }: { readonly record: { readonly gates?: GateSettings | undefined } }): number {
  return record.gates?.wave ?? 0;
}

function rankOf({ record }: RankedWorkload): readonly number[] {
  const { gates, progress } = record;
  return [waveOf({ record }), gates?.isCanary === true ? 0 : 1, evidenceOf(record), progress.pods];
}

/** What was broken before shows nothing, and neither does what starts its pods some other day. */
function evidenceOf(record: TrackedWorkload['record']): number {
  const { state, pods } = record.progress;
  if (!rollsOut(record)) return record.kind === 'Job' ? 1 : 4;
  if (state !== 'healthy') return 3;
  return pods === 0 ? 2 : 0;
}
