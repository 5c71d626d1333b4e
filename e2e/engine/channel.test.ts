import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { patchObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import type { AdmissionHook } from '../apiserver/admission';
import { admissionReview, reviewBody } from '../apiserver/admission-review';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { ownNamespace } from '../engine-settings';
import { userTransport } from '../user-transport';
import { Harness, type Engine, handoverLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });
const app = configMap({ name: 'app', data: { color: 'red', size: 'l' } });

let harness: Harness;
let engine: Engine;
let webhook: WebhookEngine;
/** Records that the webhook has sent, also those held back. */
let received: unknown[];
let watchLagMs: number;
/** Records that are still on their way to the engine; undefined unless a test delays them. */
let heldBack: ChangeRecord[] | undefined;
/** How far the webhook's clock is ahead of the reconciler's. */
let skewMs: number;
/** Whether another webhook, called after ours, allows writes of ConfigMaps. */
let isAllowed: boolean;

beforeEach(async () => {
  received = [];
  watchLagMs = 0;
  heldBack = undefined;
  skewMs = 0;
  isAllowed = true;
  const hook: AdmissionHook = {
    name: 'validate.reroll.dev',
    review: (request) => {
      if (request.kind.kind === 'ConfigMap') {
        const exchange = webhook.handler.begin({ path: 'validate', answer: () => undefined });
        exchange.push(admissionReview(request));
        exchange.end();
      }
      return { allowed: true };
    },
  };
  const other: AdmissionHook = {
    name: 'policy.example.com',
    review: ({ kind }) => ({ allowed: isAllowed || kind.kind !== 'ConfigMap', message: 'not today' }),
  };
  harness = new Harness({ admission: [hook, other] });
  harness.leaseTimings = handoverLease;
  const { clock, random } = harness;
  const logger = new RecordingLogger();
  const transport = inProcessTransport(harness.server, 'webhook', harness.faults);
  const client = new KubeClient({
    ...{ transport, clock, logger },
    credentials: staticCredentials({}),
    userAgent: 'w',
  });
  webhook = new WebhookEngine(
    {
      ...{ client, clock, random, logger },
      metrics: new WebhookMetrics(),
      transport: {
        post: async (_address, _path, body) => {
          const sent = parseChangeBatch(JSON.parse(body.toString('utf8'))).records as readonly ChangeRecord[];
          const records = sent.map((record) => ({ ...record, observedAtMs: record.observedAtMs + skewMs }));
          received.push(...records);
          if (heldBack) {
            heldBack.push(...records);
            return { status: 202 };
          }
          return await Promise.resolve({ status: engine.reconciler.accept(records).full ? 429 : 202 });
        },
      },
    },
    {
      ownNamespace,
      webhookService: 'reroll-webhook',
      channelService: 'reroll-channel',
      reconcilerAddresses: ['127.0.0.1:8444'],
      register: [],
      injectCaFrom: undefined,
      preview: true,
      lint: true,
      quietNamespaces: [],
    },
  );
  harness.faults.add({
    match: ({ pathname, isWatch }) => isWatch && pathname.endsWith('/configmaps'),
    fault: { kind: 'lag', lagMs: () => watchLagMs },
  });
  harness.seed(app, web);
  engine = await harness.start();
  webhook.start();
  await harness.clock.advance(5_000);
});

function eventMessages(): readonly unknown[] {
  return harness.objects('Event').map((event) => event['message']);
}

async function metric(line: string): Promise<boolean> {
  return (await engine.metrics.registry.text()).includes(line);
}

describe('a change that the webhook announced', () => {
  it('restarts once, and Event, log and annotation name the user and the keys', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(received).toHaveLength(1);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(eventMessages()).toEqual([
      expect.stringMatching(
        /^ConfigMap app: content changed.* \(keys: color\) by admin \(kubectl\) \(change [0-9a-f]{8}\)\. Deployment restarted/,
      ),
    ]);
    expect(engine.lines.find(({ message }) => message === 'Deployment default/web restarted')?.fields).toMatchObject({
      users: ['admin'],
      managers: ['kubectl'],
      paths: ['both'],
    });
    const { metadata } = await harness.get('Deployment', 'web');
    expect(JSON.parse(metadata.annotations!['reroll.dev/last-restart']!)).toMatchObject({ by: ['admin'] });
    expect(await metric('reroll_changes_total{path="both"} 1')).toBe(true);
  });

  it('restarts while the watch is behind, and not again when the watch catches up', async () => {
    watchLagMs = 120_000;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await metric('reroll_changes_total{path="webhook"} 1')).toBe(true);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(300_000);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });
});

describe('a change that is admitted and then denied', () => {
  it('restarts nothing, counts as a phantom, and does not affect the next change', async () => {
    const before = await harness.get('Deployment', 'web');
    isAllowed = false;
    await expect(harness.edit('ConfigMap', 'app', { color: 'blue' })).rejects.toThrow('403 Forbidden');
    await harness.clock.advance(60_000);
    expect(received).toHaveLength(1);
    expect(await harness.get('Deployment', 'web')).toEqual(before);
    expect(await metric('reroll_hints_total{result="phantom"} 1')).toBe(true);
    expect(await metric('reroll_hints_pending 0')).toBe(true);
    isAllowed = true;
    await harness.edit('ConfigMap', 'app', { size: 'xl' });
    await harness.clock.advance(60_000);
    expect(eventMessages()).toEqual([expect.stringContaining('(keys: size) by admin (kubectl)')]);
  });

  it('does not name its author for the same change made later', async () => {
    isAllowed = false;
    await expect(harness.edit('ConfigMap', 'app', { color: 'blue' })).rejects.toThrow('403 Forbidden');
    await harness.clock.advance(60_000);
    isAllowed = true;
    // Only the watch shows this write: our webhook drops its review.
    const { handler } = webhook;
    jest.spyOn(handler, 'begin').mockReturnValue({ push: () => undefined, end: () => undefined } as never);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(eventMessages()).toEqual([expect.not.stringContaining(' by ')]);
  });
});

it.each([-300_000, 300_000])(
  'if the clock of the webhook is wrong by %d ms, a change restarts but its author is not named',
  async (skew) => {
    skewMs = skew;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(eventMessages()).toEqual([expect.not.stringContaining(' by ')]);
    expect(await metric('reroll_changes_total{path="watch"} 1')).toBe(true);
    expect(await metric('reroll_hints_total{result="stale"} 1')).toBe(true);
    expect(engine.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('compare the clocks of the nodes') }),
    );
  },
);

it('an unconfirmed hint is dropped when the last workload that uses its source is deleted', async () => {
  watchLagMs = 3_600_000;
  isAllowed = false;
  await expect(harness.edit('ConfigMap', 'app', { color: 'blue' })).rejects.toThrow('403 Forbidden');
  await harness.clock.advance(1_000);
  await harness.delete('Deployment', 'web');
  await harness.clock.advance(60_000);
  expect(await metric('reroll_hints_pending 0')).toBe(true);
  harness.requestsSinceLast();
  await harness.clock.advance(60_000);
  // The lagging watch is silent, so the reflector reopens it.
  expect(harness.requestsSinceLast().filter((request) => request !== 'watch configmaps')).toEqual([]);
});

describe('the author of a change', () => {
  /**
   * Sends reviews that claim somebody else's latest write, as anyone who reaches the webhook's port can. `replaces` is the
   * version that they claim to replace.
   */
  async function claimedBy(users: readonly string[], replaces = '1'): Promise<void> {
    const [stored] = harness.objects('ConfigMap');
    for (const [index, username] of users.entries()) {
      const metadata = { ...stored?.metadata, resourceVersion: replaces };
      const object = { ...stored, metadata, data: { color: 'blue', size: 'l' } };
      const request = {
        ...{ uid: `claim-${String(index)}`, namespace: 'default', name: 'app', operation: 'UPDATE' },
        ...{ kind: { group: '', version: 'v1', kind: 'ConfigMap' }, options: { fieldManager: 'kubectl-edit' } },
        ...{ userInfo: { username }, object, oldObject: { ...object, data: { color: 'red', size: 'l' } } },
      };
      const exchange = webhook.handler.begin({ path: 'validate', answer: () => undefined });
      exchange.push(reviewBody(request));
      exchange.end();
      await harness.clock.advance(20);
    }
  }

  async function by(): Promise<unknown> {
    const { metadata } = await harness.get('Deployment', 'web');
    return JSON.parse(metadata.annotations!['reroll.dev/last-restart']!);
  }

  const claimants = Array.from({ length: 16 }, (_, index) => `user-${String(index)}`);

  it('is named although many others claim to be it, and those are counted', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await claimedBy(claimants);
    await harness.clock.advance(60_000);
    const named = ['user-15', 'user-14', 'user-13', 'user-12', 'admin'];
    expect(await by()).toMatchObject({ by: named, byMore: 12 });
    expect(eventMessages()).toEqual([expect.stringContaining(` by ${named.join(', ')} and 12 more (kubectl-edit)`)]);
    expect(engine.lines.find(({ message }) => message === 'Deployment default/web restarted')?.fields).toMatchObject({
      users: named,
      moreUsers: 12,
    });
  });

  it('is named alone if the others claim to have replaced what is stored', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await claimedBy(claimants, harness.objects('ConfigMap')[0]?.metadata.resourceVersion);
    await harness.clock.advance(60_000);
    expect(await by()).toMatchObject({ by: ['admin'] });
  });

  it('is named even if the true record arrives last', async () => {
    heldBack = [];
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20);
    const late = heldBack;
    expect(late.map(({ user }) => user)).toEqual(['admin']);
    heldBack = undefined;
    await claimedBy(claimants);
    engine.reconciler.accept(late);
    await harness.clock.advance(60_000);
    expect(await by()).toMatchObject({ by: ['user-15', 'user-14', 'user-13', 'user-0', 'admin'], byMore: 12 });
  });
});

describe('a forged change record', () => {
  it('restarts nothing and changes no baseline', async () => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const [record] = received as [object];
    const before = await harness.get('Deployment', 'web');
    const forged = { ...record, id: 'forged', digest: 'AAAAAAAAAAAAAAAAAAAAAA', observedAtMs: harness.clock.nowMs() };
    engine.reconciler.accept([forged, { ...forged, uid: 'other' }, { v: 1 }, null]);
    await harness.clock.advance(120_000);
    expect(await harness.get('Deployment', 'web')).toEqual(before);
    expect(await metric('reroll_hints_total{result="phantom"} 2')).toBe(true);
    expect(await metric('reroll_hints_total{result="malformed"} 2')).toBe(true);
  });

  it.each([
    ['a source that nobody uses', { name: 'other' }],
    ['a namespace without workloads', { namespace: 'elsewhere' }],
  ])('costs no read if it is about %s', async (_what, changed) => {
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const [record] = received as [object];
    harness.requestsSinceLast();
    engine.reconciler.accept([{ ...record, ...changed, observedAtMs: harness.clock.nowMs() }]);
    await harness.clock.advance(60_000);
    expect(harness.requestsSinceLast()).toEqual([]);
    expect(await metric('reroll_hints_total{result="filtered"} 1')).toBe(true);
  });
});

it('the author of a change is named even if it was announced before the workloads were listed', async () => {
  engine.kill();
  const end = harness.faults.add({
    match: ({ pathname }) => pathname.endsWith('/deployments'),
    fault: { kind: 'status', code: 500 },
  });
  engine = await harness.start({ identity: 'reroll-1' });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(20_000);
  expect(received).toHaveLength(1);
  end();
  await harness.clock.advance(120_000);
  expect(eventMessages()).toEqual([
    expect.stringMatching(/ by admin \(kubectl\) \(change [0-9a-f]{8}\)\. Deployment restarted/),
  ]);
});

it('a reconciler that has no digest key yet asks the webhook to send records again', () => {
  const unborn = harness.launch({ identity: 'reroll-1' });
  expect(unborn.reconciler.accept([{}, {}])).toEqual({ accepted: 0, refused: 2, full: true });
});

it('the author of a change is named even if it was announced to a standby that leads by the time of the restart', async () => {
  const standby = await harness.start({ identity: 'reroll-1' });
  engine.kill();
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(1_000);
  expect(standby.reconciler.status.state).toBe('standby');
  expect(standby.reconciler.accept(received)).toMatchObject({ accepted: 1, refused: 0 });
  await harness.clock.advance(120_000);
  expect(harness.restarts('Deployment', 'web')).toBe(1);
  expect(eventMessages()).toEqual([
    expect.stringMatching(/ by admin \(kubectl\) \(change [0-9a-f]{8}\)\. Deployment restarted/),
  ]);
});

it('what was read is not undone by a watch that lags, even if it is what was known: a change and its revert', async () => {
  watchLagMs = 60_000;
  heldBack = [];
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(3_000);
  await harness.edit('ConfigMap', 'app', { color: 'red' });
  await harness.clock.advance(20);
  engine.reconciler.accept(heldBack);
  // The read shows the reverted content, 300 ms later.
  await harness.clock.advance(10_000);
  expect(harness.restarts('Deployment', 'web')).toBe(0);
  await harness.clock.advance(180_000);
  expect(harness.restarts('Deployment', 'web')).toBe(0);
});

it('a read that was under way when etcd was restored restarts nothing', async () => {
  harness.leaseTimings = {};
  await engine.stop();
  engine = await harness.start({ identity: 'reroll-2' });
  await harness.clock.advance(30_000);
  watchLagMs = 60_000;
  const backup = harness.server.store.revision;
  harness.server.store.passOver(10_000);
  harness.faults.add({
    match: ({ method, pathname }) => method === 'GET' && pathname.endsWith('/configmaps/app'),
    times: 1,
    fault: { kind: 'lag', lagMs: 6_500 },
  });
  harness.faults.add({
    match: ({ pathname, isWatch, query }) =>
      pathname.endsWith('/configmaps') && (!isWatch || query.has('sendInitialEvents')),
    fault: { kind: 'lag', lagMs: 4_000 },
  });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(3_000);
  harness.server.restore(backup);
  await harness.clock.advance(60_000);
  expect(harness.restarts('Deployment', 'web')).toBe(0);
});

describe('a change of the one key that a workload uses, and one of another key by somebody else before the restart', () => {
  async function editAs(user: string, data: Record<string, string>): Promise<void> {
    const { clock } = harness;
    const transport = userTransport(inProcessTransport(harness.server, user));
    const credentials = staticCredentials({});
    const client = new KubeClient({ transport, clock, credentials, logger: new RecordingLogger(), userAgent: user });
    await patchObject(client, configMaps, 'default', 'app', { data }, { type: 'merge' });
    await clock.advance(100);
  }

  async function nameOf(...edits: readonly (readonly [string, Record<string, string>])[]): Promise<unknown> {
    const env = [{ name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'app', key: 'color' } } }];
    harness.seed(deployment({ name: 'one', annotations: auto, env }));
    await harness.clock.advance(60_000);
    for (const [user, data] of edits) await editAs(user, data);
    await harness.clock.advance(60_000);
    const { metadata } = await harness.get('Deployment', 'one');
    return JSON.parse(metadata.annotations?.['reroll.dev/last-restart'] ?? 'null');
  }

  it('names who changed that key', async () => {
    const named = await nameOf(['alice', { color: 'blue' }], ['bob', { size: 'xl' }]);
    expect(named).toMatchObject({ sources: { 'cm/app': ['color'] }, by: ['alice'] });
    expect(await metric('reroll_changes_total{path="both"} 2')).toBe(true);
  });

  it('names one person who did both', async () => {
    expect(await nameOf(['alice', { color: 'blue' }], ['alice', { size: 'xl' }])).toMatchObject({ by: ['alice'] });
  });
});
