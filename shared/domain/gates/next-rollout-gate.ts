import { gateAnnotations } from '../annotations/annotations';
import type { ClosedGate, GateQuestion } from './gate';
import { nearestSetting, setBy } from './nearest-setting';

/** The change takes effect with the next rollout that somebody else makes. */
export function nextRolloutGate({ levels }: GateQuestion): ClosedGate | undefined {
  const nearest = nearestSetting(levels, 'mode');
  if (nearest?.value !== 'next-rollout') return undefined;
  const detail = setBy(nearest.bearer, gateAnnotations.restart, '--restart=next-rollout');
  return { gate: 'next-rollout', untilMs: undefined, detail };
}
