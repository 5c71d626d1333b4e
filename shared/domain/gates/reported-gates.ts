import { isInForce } from '../gate-settings/hold';
import type { Deferral } from '../protocol/deferral';
import type { ReportedHold } from '../protocol/install-hold';
import type { GatesAnswer } from './ask-gates';
import type { ClosedGate, InstallHold } from './gate';

/** A closed gate, as answers tell it. */
export function deferralOf({ gate, untilMs, detail }: ClosedGate): Deferral {
  return { gate, ...(untilMs !== undefined && { until: timeOf(untilMs) }), detail };
}

/** Undefined: the restart may begin. */
export function deferralIn(answer: GatesAnswer): Deferral | undefined {
  return answer.isOpen ? undefined : deferralOf(answer.closed);
}

/** The hold of everything, as answers tell it; undefined: there is none, or it is over. */
export function reportedHoldOf(hold: InstallHold | undefined, nowMs: number): ReportedHold | undefined {
  if (!hold || !isInForce(hold, nowMs)) return undefined;
  const { bearer, untilMs, because } = hold;
  return {
    bearer,
    ...(untilMs !== undefined && { until: timeOf(untilMs) }),
    ...(because !== undefined && { because }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
