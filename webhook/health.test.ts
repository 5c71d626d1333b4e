import { expect, it } from '@jest/globals';
import { readinessChecks } from './health';
import type { WebhookServer } from './webhook-server';

it.each<[WebhookServer['status'], boolean]>([
  [{ state: 'listening', certificateProblem: undefined }, true],
  [{ state: 'listening', certificateProblem: 'there is none yet' }, false],
  [{ state: 'stopped', certificateProblem: undefined }, false],
  [{ state: 'draining', certificateProblem: undefined }, false],
  [{ state: 'closing', certificateProblem: undefined }, false],
])('with %j ready is %s', (status, ready) => {
  expect(readinessChecks({ status }).every((check) => check.check().ok)).toBe(ready);
});
