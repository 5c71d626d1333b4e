import { gateAnnotations } from '../annotations/annotations';
import { formatDuration } from '../text/duration';
import type { ClosedGate, GateQuestion } from './gate';
import { nearestSetting, setBy } from './nearest-setting';

/** The last restart of the workload was not long ago. */
export function intervalGate({ levels, lastRestartMs, nowMs }: GateQuestion): ClosedGate | undefined {
  const nearest = nearestSetting(levels, 'minIntervalMs');
  if (!nearest || lastRestartMs === undefined) return undefined;
  const untilMs = lastRestartMs + nearest.value;
  // The time is read from the workload. Reroll did not write one that lies far ahead.
  if (untilMs <= nowMs || lastRestartMs > nowMs + nearest.value) return undefined;
  const detail = `${setBy(nearest.bearer, gateAnnotations.minInterval, '--min-interval')}: ${formatDuration(nearest.value)}`;
  return { gate: 'interval', untilMs, detail };
}
