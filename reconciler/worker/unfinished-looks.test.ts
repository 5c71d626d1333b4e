import { beforeEach, describe, expect, it } from '@jest/globals';
import { errorFromStatus } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { UnfinishedLooks, type LookResult } from './unfinished-looks';

const web = { key: 'Deployment/shop/web' };
const target = requestTarget('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web');
const waiting: LookResult = { kind: 'again', afterMs: 1_000, waitsFor: 'rollout' };
const failed = (error: unknown): LookResult => ({ kind: 'failed', error });
const refusedBy = (message: string) => {
  const others = { name: undefined, resource: undefined, causes: [], retryAfterMs: undefined };
  return errorFromStatus(403, { code: 403, reason: 'Forbidden', message, ...others }, target);
};
const rbacMessage =
  'deployments.apps "web" is forbidden: User "reroll" cannot patch resource "deployments" in API group "apps" in the namespace "shop"';

let clock: FakeClock;
let looks: UnfinishedLooks;

beforeEach(() => {
  clock = new FakeClock();
  looks = new UnfinishedLooks(clock);
});

describe('the looks that were not the end', () => {
  it.each<[string, LookResult, object | undefined]>([
    ['nothing is left', { kind: 'done' }, undefined],
    ['only its turn is awaited', { kind: 'again', afterMs: 0 }, undefined],
    ['a rollout is awaited', waiting, { waitsFor: 'rollout' }],
    ['a Job is recreated', { kind: 'done', waitsFor: 'job' }, { waitsFor: 'job' }],
    ['the server fails', failed(errorFromStatus(503, undefined, target)), { waitsFor: 'retry' }],
    [
      'the write is invalid',
      failed(errorFromStatus(422, undefined, target)),
      { waitsFor: 'fix', errorCode: 'KUBE_INVALID' },
    ],
    [
      'a quota refuses',
      failed(refusedBy('deployments.apps "web" is forbidden: exceeded quota')),
      { waitsFor: 'fix', errorCode: 'KUBE_FORBIDDEN' },
    ],
    [
      'a permission is missing',
      failed(refusedBy(rbacMessage)),
      { waitsFor: 'permission', errorCode: 'KUBE_FORBIDDEN' },
    ],
    ['something is broken', failed(new TypeError('secret text')), { waitsFor: 'retry', errorCode: 'UNEXPECTED' }],
  ])('if %s', (_what, result, expected) => {
    looks.note(web, result);
    if (expected) expect(looks.get(web.key)).toMatchObject({ ...expected, sinceMs: clock.nowMs() });
    else expect(looks.get(web.key)).toBeUndefined();
    expect(JSON.stringify(looks.get(web.key) ?? '')).not.toContain('secret text');
  });

  it('are dated by the first one that waits for the same', async () => {
    looks.note(web, waiting);
    const sinceMs = clock.nowMs();
    await clock.advance(5_000);
    looks.note(web, waiting);
    expect(looks.get(web.key)?.sinceMs).toBe(sinceMs);
    looks.note(web, failed(new Error()));
    expect(looks.get(web.key)?.sinceMs).toBe(sinceMs + 5_000);
  });

  it('are shared by those that the same gate keeps since the same second: one hold may keep thousands', async () => {
    const closedUntil = (untilMs: number) =>
      ({ gate: 'hold', untilMs, detail: 'reroll.dev/hold on ConfigMap app' }) as const;
    const noted: unknown[] = [];
    for (const [index, untilMs] of [1, 1, 2, 2].entries()) {
      const key = `Deployment/shop/web-${index}` as const;
      looks.note({ key }, { kind: 'again', afterMs: 1, closed: closedUntil(untilMs) });
      expect(looks.get(key)?.closed?.untilMs).toBe(untilMs);
      noted.push(looks.get(key));
      await clock.advance(200);
    }
    expect(new Set(noted).size).toBe(2);
  });

  it('are forgotten when there is nothing left, with the workload, and with the term', () => {
    looks.note(web, waiting);
    looks.note(web, { kind: 'done' });
    expect(looks.get(web.key)).toBeUndefined();
    looks.note(web, waiting);
    looks.forget(web.key);
    expect(looks.get(web.key)).toBeUndefined();
    looks.note(web, waiting);
    looks.clear();
    expect(looks.get(web.key)).toBeUndefined();
  });
});
