import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { silentLogger } from '../../shared/runtime/log/logger';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { AdmissionLog, maxNamespaceLines } from './admission-log';
import { captureObserver } from './capture-observer';
import { WebhookMetrics } from '../metrics';
import { RecentChanges } from './recent-changes';
import { bytes, metric, review, secret, testDigester } from '../admission/review.fixture';

function world(digester: typeof testDigester | undefined = testDigester) {
  const clock = new FakeClock();
  const metrics = new WebhookMetrics();
  const users: string[] = [];
  const logger = new RecordingLogger();
  const observer = captureObserver({
    ...{ clock, metrics, recent: new RecentChanges(clock), ownNamespace: 'reroll' },
    log: new AdmissionLog({ clock, logger }),
    digester: () => digester,
    send: ({ user }) => users.push(user),
  });
  const see = (changed: Readonly<Record<string, unknown>> = {}): void => observer.run(requestOf(changed), 0);
  const count = async (result: string) => await metric(metrics, `reroll_webhook_records_total{result="${result}"}`);
  return { observer, users, see, count, lines: logger.lines };
}

function requestOf(changed: Readonly<Record<string, unknown>>): AdmissionRequest {
  return parseAdmissionReview(bytes(review(changed)))!.request!;
}

describe('captureObserver', () => {
  it('wants only ConfigMaps and Secrets', () => {
    const { observer } = world();
    expect(observer.wants(requestOf({}))).toBe(true);
    expect(observer.wants(requestOf({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }))).toBe(false);
  });

  it('sends one record for a change that both hooks and retries of the API server see', async () => {
    const { see, users, count } = world();
    see();
    see({ uid: 'review-of-the-other-hook' });
    see({ uid: 'review-of-a-retry' });
    expect(users).toEqual(['alice']);
    expect([await count('sent'), await count('duplicate')]).toEqual([1, 2]);
  });

  it('logs a change with its id, its keys and its author, and never a value', () => {
    const { see, lines } = world();
    see({ object: secret({ password: 'hunter2', user: 'app' }) });
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'Secret shop/db admitted',
        fields: {
          ...{ source: 'Secret shop/db', change: expect.stringMatching(/^[0-9a-f]{8}$/), keys: ['password'] },
          ...{ user: 'alice', manager: 'kubectl-edit' },
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('reports each change of a flood, and logs no more of them than a namespace may', async () => {
    const { see, users, count, lines } = world();
    const flood = 3 * maxNamespaceLines;
    for (let index = 0; index < flood; index++) see({ object: secret({ password: String(index) }) });
    expect([users.length, await count('sent'), lines.length]).toEqual([flood, flood, maxNamespaceLines]);
  });

  it.each([
    ['reroll', 'reroll-history-0', false],
    ['reroll', 'reroll-history-12', false],
    ['reroll', 'reroll-history-x', true],
    ['shop', 'reroll-history-0', true],
  ])('wants ConfigMap %s/%s: %j', (namespace, name, wanted) => {
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    expect(world().observer.wants(requestOf({ kind, namespace, name }))).toBe(wanted);
  });

  it('sends nothing for a dry run, and does not treat the real write as a duplicate of it', async () => {
    const { see, users, count } = world();
    see({ dryRun: true });
    expect(users).toEqual([]);
    expect(await count('dry_run')).toBe(1);
    see();
    expect(users).toEqual(['alice']);
  });

  it('sends nothing if the content is the same', async () => {
    const { see, users, count } = world();
    see({ object: secret({ a: '1' }), oldObject: secret({ a: '1' }) });
    expect(users).toEqual([]);
    expect(await count('no_change')).toBe(1);
  });

  it('reports no change of a source with too many keys to look at each', async () => {
    const { see, users, count } = world();
    const keys = Array.from({ length: budgets.sourceKeysRead + 1 }, (_, index) => [`k${String(index)}`, '']);
    see({ object: secret(Object.fromEntries(keys.slice(1)) as Record<string, string>) });
    expect(users).toEqual(['alice']);
    see({ oldObject: secret(Object.fromEntries(keys) as Record<string, string>) });
    see({ object: secret(Object.fromEntries(keys) as Record<string, string>) });
    expect(users).toEqual(['alice']);
    expect(await count('dropped')).toBe(2);
  });

  it('counts changes that it cannot report without the digest key', async () => {
    const metrics = new WebhookMetrics();
    const send = (): never => {
      throw new Error('sent');
    };
    const clock = new FakeClock();
    const recent = new RecentChanges(clock);
    captureObserver({
      ...{ clock, metrics, recent, send, ownNamespace: 'reroll' },
      log: new AdmissionLog({ clock, logger: silentLogger }),
      digester: () => undefined,
    }).run(requestOf({}), 0);
    expect(await metric(metrics, 'reroll_webhook_records_total{result="dropped"}')).toBe(1);
  });
});
