import { gateAnnotations } from '../annotations/annotations';
import { isInForce, type Hold } from '../gate-settings/hold';
import type { ClosedGate, GateQuestion } from './gate';
import { nearestSetting } from './nearest-setting';

/** The hold of the install, or else the nearest one. */
export function holdGate({ installHold, levels, nowMs }: GateQuestion): ClosedGate | undefined {
  if (isInForce(installHold, nowMs)) return closedBy(installHold, installHold.bearer);
  const nearest = nearestSetting(levels, 'hold');
  if (!nearest || !isInForce(nearest.value, nowMs)) return undefined;
  return closedBy(nearest.value, `${gateAnnotations.hold} on ${nearest.bearer ?? 'the install'}`);
}

function closedBy({ untilMs, because }: Hold, what: string): ClosedGate {
  return { gate: 'hold', untilMs, detail: because === undefined ? what : `${what}: ${because}` };
}
