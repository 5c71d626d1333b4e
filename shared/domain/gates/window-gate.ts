import { gateAnnotations } from '../annotations/annotations';
import type { ClosedGate, GateQuestion } from './gate';
import { nearestSetting, setBy } from './nearest-setting';

/** Restarts begin only in the windows. One that has begun may go on when they close. */
export function windowGate({ levels, nowMs }: GateQuestion): ClosedGate | undefined {
  const nearest = nearestSetting(levels, 'windows');
  if (!nearest || nearest.value === 'always') return undefined;
  const { text } = nearest.value;
  const opensMs = nearest.value.opensMs(nowMs);
  if (opensMs <= nowMs) return undefined;
  const detail = `${setBy(nearest.bearer, gateAnnotations.windows, '--restart-windows')}: ${text}`;
  return { gate: 'window', untilMs: Number.isFinite(opensMs) ? opensMs : undefined, detail };
}
