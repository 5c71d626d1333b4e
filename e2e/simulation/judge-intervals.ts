import { gateKeys, intervalOf } from './gate-annotations';
import { nearest, type GateLevels } from './gate-levels';
import { isUrgent } from './judge-windows';

/** Whether the last restart of the workload is more recent than the nearest minimum interval, and the change not urgent. */
export function isTooSoon(levels: GateLevels, atMs: number): boolean {
  const { restartedMs, flags } = levels;
  const ofInstallMs = flags.interval === undefined ? undefined : intervalOf(flags.interval);
  const intervalMs = nearest(levels, gateKeys.interval, intervalOf) ?? ofInstallMs;
  if (intervalMs === undefined || restartedMs === undefined || isUrgent(levels)) return false;
  return atMs < restartedMs + intervalMs;
}
