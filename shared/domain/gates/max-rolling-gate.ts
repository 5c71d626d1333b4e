import { describeRollingLimit, type RollingLimit } from '../gate-settings/rolling-limit';
import type { ClosedGate } from './gate';

/** What rolls in one scope. */
export interface Rolling {
  readonly workloads: number;
  /** Pods of these that are still to be replaced. */
  readonly pods: number;
}

/** A limit that concerns a workload, and how much of it is in use. */
export interface LimitInUse {
  /** For people: `--max-rolling`, `reroll.dev/max-rolling on namespace shop`. */
  readonly setBy: string;
  readonly limit: RollingLimit;
  readonly rolling: Rolling;
  /** What is left of it is kept for one that comes first, and for whose pods that is not enough. */
  readonly isKept?: boolean;
}

/**
 * No more may roll at once. All limits count together. A workload with more pods than a limit allows begins when nothing
 * else rolls in its scope.
 */
export function maxRollingGate(
  limits: Iterable<LimitInUse>,
  workload: { readonly pods: number },
): ClosedGate | undefined {
  for (const { setBy, limit, rolling, isKept = false } of limits) {
    const added = limit.unit === 'pods' ? Math.max(1, workload.pods) : 1;
    if (!isKept && (rolling.workloads === 0 || rolling[limit.unit] + added <= limit.count)) continue;
    return { gate: 'pace', untilMs: undefined, detail: `${setBy}: ${describeRollingLimit(limit)}` };
  }
  return undefined;
}
