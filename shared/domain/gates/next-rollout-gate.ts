import { gateAnnotations } from '../annotations/annotations';
import type { ClosedGate, GateQuestion } from './gate';
import { nearestSetting } from './nearest-setting';

/** The change takes effect with the next rollout that somebody else makes. */
export function nextRolloutGate({ levels }: GateQuestion): ClosedGate | undefined {
  const nearest = nearestSetting(levels, 'mode');
  if (nearest?.value !== 'next-rollout') return undefined;
  const detail = `${gateAnnotations.restart} on ${nearest.bearer ?? 'the install'}`;
  return { gate: 'next-rollout', untilMs: undefined, detail };
}
