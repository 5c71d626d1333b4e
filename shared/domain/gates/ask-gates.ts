import { holdGate } from './hold-gate';
import { intervalGate } from './interval-gate';
import { nearestSetting } from './nearest-setting';
import { nextRolloutGate } from './next-rollout-gate';
import { windowGate } from './window-gate';
import type { ClosedGate, Gate, GateQuestion } from './gate';

interface GateRow {
  readonly ask: Gate;
  /** An urgent change passes it, and says so. */
  readonly urgentPasses: boolean;
}

/** Every gate. A new one is a new row. */
const gates: readonly GateRow[] = [
  { ask: holdGate, urgentPasses: false },
  { ask: nextRolloutGate, urgentPasses: false },
  { ask: windowGate, urgentPasses: true },
  { ask: intervalGate, urgentPasses: true },
];

/** May the restart begin? */
export type GatesAnswer =
  /** `passed`: gates that are closed, and that an urgent change passes. */
  | { readonly isOpen: true; readonly passed: readonly ClosedGate[] }
  | { readonly isOpen: false; readonly closed: ClosedGate };

const open: GatesAnswer = { isOpen: true, passed: [] };

/**
 * Asks the gates about each change of a workload. Pods read all their sources when they start, so the restart may begin
 * as soon as it may for one of the changes, and then it answers all of them.
 */
export function askGates(questions: readonly GateQuestion[]): GatesAnswer {
  let answer: GatesAnswer | undefined;
  for (const question of questions) {
    const next = askAbout(question);
    answer = answer === undefined ? next : better(answer, next);
  }
  return answer ?? open;
}

function askAbout(question: GateQuestion): GatesAnswer {
  const isUrgent = nearestSetting(question.levels, 'isUrgent')?.value === true;
  const isPassed = ({ urgentPasses }: GateRow): boolean => isUrgent && urgentPasses;
  const closed = lastClosed(
    gates.filter((gate) => !isPassed(gate)),
    question,
  );
  return closed ? { isOpen: false, closed } : { isOpen: true, passed: closedOf(gates.filter(isPassed), question) };
}

/**
 * The gate that opens last, when all the others are open, too: a window may be open now, and closed again when a hold is
 * over.
 */
function lastClosed(asked: readonly GateRow[], question: GateQuestion): ClosedGate | undefined {
  const [first, ...others] = closedOf(asked, question);
  if (!first) return undefined;
  const last = others.reduce((latest, gate) => (timeOf(gate) > timeOf(latest) ? gate : latest), first);
  if (last.untilMs === undefined) return last;
  return lastClosed(asked, { ...question, nowMs: last.untilMs }) ?? last;
}

function closedOf(asked: readonly GateRow[], question: GateQuestion): readonly ClosedGate[] {
  return asked.flatMap(({ ask }) => ask(question) ?? []);
}

/** An open one, best without urgency; else the one that opens first. */
function better(left: GatesAnswer, right: GatesAnswer): GatesAnswer {
  if (left.isOpen && right.isOpen) return right.passed.length < left.passed.length ? right : left;
  if (left.isOpen || right.isOpen) return left.isOpen ? left : right;
  return timeOf(right.closed) < timeOf(left.closed) ? right : left;
}

function timeOf({ untilMs = Infinity }: ClosedGate): number {
  return untilMs;
}
