import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { captureObserver } from './capture-observer';
import { WebhookMetrics } from '../metrics';
import { RecentChanges } from './recent-changes';
import { bytes, metric, review, secret, testDigester } from '../admission/review.fixture';

function world(digester: typeof testDigester | undefined = testDigester) {
  const clock = new FakeClock();
  const metrics = new WebhookMetrics();
  const users: string[] = [];
  const duty = captureObserver({
    ...{ clock, metrics, recent: new RecentChanges(clock) },
    digester: () => digester,
    send: ({ user }) => users.push(user),
  });
  const see = (changed: Readonly<Record<string, unknown>> = {}): void => duty.run(requestOf(changed));
  const count = async (result: string) => await metric(metrics, `reroll_webhook_records_total{result="${result}"}`);
  return { duty, users, see, count };
}

function requestOf(changed: Readonly<Record<string, unknown>>): AdmissionRequest {
  return parseAdmissionReview(bytes(review(changed)))!.request!;
}

describe('captureObserver', () => {
  it('wants ConfigMaps and Secrets alone', () => {
    const { duty } = world();
    expect(duty.wants(requestOf({}))).toBe(true);
    expect(duty.wants(requestOf({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }))).toBe(false);
  });

  it('sends one record of a change that both hooks see, and the retries of the API server', async () => {
    const { see, users, count } = world();
    see();
    see({ uid: 'review-of-the-other-hook' });
    see({ uid: 'review-of-a-retry' });
    expect(users).toEqual(['alice']);
    expect([await count('sent'), await count('duplicate')]).toEqual([1, 2]);
  });

  it('sends nothing of a dry run, and does not take the real write for its repetition', async () => {
    const { see, users, count } = world();
    see({ dryRun: true });
    expect(users).toEqual([]);
    expect(await count('dry_run')).toBe(1);
    see();
    expect(users).toEqual(['alice']);
  });

  it('sends nothing where no content changes', async () => {
    const { see, users, count } = world();
    see({ object: secret({ a: '1' }), oldObject: secret({ a: '1' }) });
    expect(users).toEqual([]);
    expect(await count('no_change')).toBe(1);
  });

  it('counts what it cannot tell without the digest key', async () => {
    const metrics = new WebhookMetrics();
    const send = (): never => {
      throw new Error('sent');
    };
    const clock = new FakeClock();
    const recent = new RecentChanges(clock);
    captureObserver({ clock, metrics, recent, digester: () => undefined, send }).run(requestOf({}));
    expect(await metric(metrics, 'reroll_webhook_records_total{result="dropped"}')).toBe(1);
  });
});
