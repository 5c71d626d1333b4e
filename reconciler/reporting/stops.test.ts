import { expect, it } from '@jest/globals';
import { sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { OnFailure } from '../../shared/domain/gate-settings/gate-settings';
import type { KubeEvent } from '../../shared/kube/client/events';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { paced } from '../gates/gates.fixture';
import { Stops } from './stops';

const detail =
  'restarts for Secret db are stopped: Deployment web is not healthy since it restarted at 2026-01-01T00:00:00Z';
const kept = 'The other users of Secret db still run with the previous content';
const repair = 'Repair the workload or write a corrected content';
const back = 'To put the kept content back, run reroll rollback secret/db -n shop';
const anyway = 'To restart all other users with the new content anyway, run reroll resume secret/db -n shop';
const said = [detail, kept, repair, anyway].join('. ');
const saidOfAll = [
  detail,
  'The users of Secret db still run with the previous content',
  'Write a corrected content',
  'To restart all users with the new content anyway, run reroll resume secret/db -n shop',
].join('. ');

it.each([
  ['the source and the workload', true, ['Deployment web of apps/v1', 'Secret db of v1']],
  ['the workload alone if the source is deleted', false, ['Deployment web of apps/v1']],
])('a stop is an Event on %s, and a warning in the log', (_what, isThere, expected) => {
  const recorded: KubeEvent[] = [];
  const logger = new RecordingLogger();
  const events = { record: async (event: KubeEvent) => await Promise.resolve(void recorded.push(event)) };
  const source = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;
  const record = isThere ? sourceRecord(source) : undefined;
  const stop = { source, record, change: '0123abcd', failed: paced({ name: 'web' }), keepsOthers: true, detail };
  new Stops({ logger, events, onFailure: () => 'stop' }).stopped(stop);
  expect(recorded.map(({ regarding: { apiVersion, kind, name } }) => `${kind} ${name} of ${apiVersion}`)).toEqual(
    expected,
  );
  expect(new Set(recorded.map(({ type, reason, message }) => `${type} ${reason} ${message}`))).toEqual(
    new Set([`Warning RestartsStopped ${said}`]),
  );
  expect(logger.lines).toMatchObject([{ level: 'warn', message: `restarts stopped: ${said}` }]);
});

it.each<[string, boolean, OnFailure, string]>([
  ['what is kept can be put back by hand', true, 'keep', [detail, kept, repair, back, anyway].join('. ')],
  ['what is put back needs no hand', true, 'rollback', said],
  ['nobody is broken by a content that was put back before', false, 'rollback', saidOfAll],
])('a stop says that %s', (_what, isFailed, mode, message) => {
  const logger = new RecordingLogger();
  const source = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;
  const failed = isFailed ? paced({ name: 'web' }) : undefined;
  const stops = new Stops({ logger, events: { record: async () => await Promise.resolve() }, onFailure: () => mode });
  stops.stopped({ source, record: undefined, change: undefined, failed, keepsOthers: true, detail });
  expect(logger.lines).toMatchObject([{ message: `restarts stopped: ${message}` }]);
});

it.each<[OnFailure, string]>([
  ['keep', `. ${back}`],
  ['rollback', ''],
])('where no other user waits, there is nothing to resume: %s', (mode, putBack) => {
  const logger = new RecordingLogger();
  const source = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;
  const stops = new Stops({ logger, events: { record: async () => await Promise.resolve() }, onFailure: () => mode });
  const failed = paced({ name: 'web' });
  stops.stopped({ source, record: undefined, change: undefined, failed, keepsOthers: false, detail });
  const message = `not healthy since its restart: ${detail}. No other user waits. ${repair}${putBack}`;
  expect(logger.lines).toMatchObject([{ message }]);
});
