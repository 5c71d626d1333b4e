import { expect, it } from '@jest/globals';
import { readinessChecks } from './health';
import type { WebhookServer } from '../admission/webhook-server';

const ready = { state: 'listening', certificateProblem: undefined, callerProblem: undefined } as const;

it.each<[WebhookServer['status'], boolean]>([
  [ready, true],
  [{ ...ready, certificateProblem: 'there is none yet' }, false],
  [{ ...ready, callerProblem: 'there is no token yet' }, false],
  [{ ...ready, state: 'stopped' }, false],
  [{ ...ready, state: 'draining' }, false],
  [{ ...ready, state: 'closing' }, false],
])('with %j ready is %s', (status, expected) => {
  expect(readinessChecks({ status }).every((check) => check.check().ok)).toBe(expected);
});
