import { assertNever } from '../../shared/domain/errors';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { InspectionProblem } from '../../shared/domain/protocol/inspection-problem';
import type { InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { InspectionAnswer } from './inspection-server';
import type { Inspections } from './inspections';
import { jsonBody } from './json-body';

/** A reconciler, as far as questions are concerned. */
export interface Inspected {
  readonly health: HealthInspection;
  /** Undefined: there is no engine yet, or it restarts no workloads. */
  readonly inspections: Pick<Inspections, 'answer'> | undefined;
}

/** The answer to a question. Every replica tells its health, and only the leader tells the rest. */
export function answerQuestion(
  inspected: Inspected,
  question: InspectionQuestion,
  acceptsGzip = false,
): InspectionAnswer {
  // The health is put together from every watch, so it is asked for only where it is told.
  if (question.about === 'health') return { body: { bytes: jsonBody(inspected.health) } };
  const { inspections } = inspected;
  const body = inspections?.answer(question, acceptsGzip);
  if (body) return { body };
  const { health } = inspected;
  const problem = problemOf(health.state, inspections !== undefined);
  const { leader } = health;
  return {
    status: problem.code === 'no-workloads' ? 404 : 503,
    problem: { ...problem, ...(leader !== undefined && { leader }) },
  };
}

function problemOf(state: HealthInspection['state'], restarts: boolean): Pick<InspectionProblem, 'code' | 'message'> {
  switch (state) {
    case 'starting':
      return { code: 'starting', message: 'this replica is getting the digest key: ask again, and see /v1/health' };
    case 'stopped':
      return { code: 'stopping', message: 'this replica is stopping: ask another one' };
    case 'syncing':
      return { code: 'not-synced', message: 'the first lists are not complete: ask again, and see /v1/health' };
    case 'standby':
      return notLeading;
    case 'acting':
      // Its term may just have ended.
      if (restarts) return notLeading;
      return {
        code: 'no-workloads',
        message: 'with --webhook-url, Reroll watches no workloads: only /v1/health is served',
      };
    default:
      return assertNever(state, 'state');
  }
}

const notLeading = { code: 'not-leading', message: 'this replica does not lead: ask the leader' } as const;
