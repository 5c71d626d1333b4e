import { expect, it } from '@jest/globals';
import { readinessChecks } from './health';
import type { WebhookServer } from './webhook-server';

it.each<[WebhookServer['status'], boolean]>([
  [{ state: 'listening', certified: true }, true],
  [{ state: 'listening', certified: false }, false],
  [{ state: 'stopped', certified: true }, false],
  [{ state: 'draining', certified: true }, false],
  [{ state: 'closing', certified: true }, false],
])('with %j ready is %s', (status, ready) => {
  expect(readinessChecks({ status }).every((check) => check.check().ok)).toBe(ready);
});
