import { describe, expect, it } from '@jest/globals';
import { FakePostTransport, hang } from '../../shared/outbound/post.fixture';
import type { PostAnswer } from '../../shared/outbound/post-transport';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { secretProviderClasses, secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { deleteObject, patchObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import {
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, namespace, secret } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { Harness, handoverLease } from './harness';

const app = configMap({ name: 'app', data: { color: 'red' } });
const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });

async function started(
  answer?: () => PostAnswer | Promise<PostAnswer>,
  settings: Parameters<Harness['start']>[0] = {},
  more: readonly ObjectInput[] = [],
) {
  const harness = new Harness({ customKinds: [secretProviderClassKind, secretProviderClassPodStatusKind] });
  harness.leaseTimings = handoverLease;
  harness.seed(app, secret({ name: 'db', data: { password: 'a' } }), web, ...more);
  const webhook = new FakePostTransport(answer);
  const engine = await harness.start(settings, undefined, { webhook });
  return { harness, webhook, engine, calls: () => webhook.posts.length };
}

/** Sets a new version in a pod's status, as the CSI driver does for a rotated secret. */
async function rotate(harness: Harness, pod: string, version: string): Promise<void> {
  const patch = { status: { objects: [{ id: 'pw', version }] } };
  const name = `${pod}-default-vault`;
  await patchObject(harness.admin, secretProviderClassPodStatuses, 'default', name, patch, { type: 'merge' });
  await harness.clock.advance(20_000);
}

describe('§14.3 webhook mode', () => {
  it.each([
    ['ConfigMap', 'app'],
    ['Secret', 'db'],
  ] as const)('posts the fixed body of Reloader for a change of a %s', async (kind, name) => {
    const { harness, webhook } = await started();
    await harness.edit(kind, name, { key: 'blue' });
    await harness.clock.advance(10_000);
    expect(webhook.posts.map(({ contentType }) => contentType)).toEqual(['application/json']);
    expect(webhook.texts).toEqual(['{"webhook":"update successful"}']);
  });

  it('calls for a change that comes soon after a restore of etcd', async () => {
    const { harness, calls } = await started();
    const backup = harness.server.store.revision;
    await harness.clock.advance(3_600_000);
    harness.server.restore(backup);
    await harness.clock.advance(10_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    expect(calls()).toBe(1);
  });

  it('restarts nothing, lists no workload and writes no Event', async () => {
    const { harness, engine } = await started();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    expect(harness.writesOf('Deployment', 'web')).toHaveLength(1);
    const requests = harness.server.requests().filter(({ user }) => user === 'reroll');
    const resources = new Set(requests.map(({ resource }) => resource.split('/')[0]));
    expect([...resources].filter((resource) => !/^(configmaps|secrets|leases\.)/.test(resource!))).toEqual([]);
    expect(engine.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      '--webhook-url is set: changes are sent to it, and no workload is restarted',
    ]);
    expect(await engine.metrics.registry.text()).toContain('reloader_reload_executed_total{success="true"} 0');
  });

  it('counts the changes and the calls', async () => {
    const { harness, engine } = await started();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    const text = await engine.metrics.registry.text();
    expect(text).toContain('reloader_events_received_total{event_type="update",resource_type="configmaps"} 1');
    expect(text).toContain('reroll_notify_calls_total{result="delivered"} 1');
    expect(text).toContain('reloader_watched_resources_total{resource_type="configmaps"} 1');
  });

  it.each([
    ['a label', async (harness: Harness) => await harness.label('ConfigMap', 'app', { team: 'blue' })],
    [
      'an annotation',
      async (harness: Harness) =>
        await harness.annotate('ConfigMap', 'app', { 'reloader.stakater.com/ignore': 'true' }),
    ],
    ['the same content', async (harness: Harness) => await harness.edit('ConfigMap', 'app', { color: 'red' })],
    ['a restart of Reroll', async (harness: Harness) => await harness.clock.advance(1)],
  ])('does not call for %s', async (_what, happen) => {
    const { harness, calls } = await started();
    await happen(harness);
    await harness.clock.advance(30_000);
    expect(calls()).toBe(0);
  });

  it('calls even for a source with the ignore annotation, because annotations do not count', async () => {
    const { harness, calls } = await started();
    await harness.annotate('ConfigMap', 'app', { 'reloader.stakater.com/ignore': 'true' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    expect(calls()).toBe(1);
  });

  it.each([
    ['--namespace-selector', { namespaceSelector: parseSelector('env=prod') }],
    ['--namespaces-to-ignore', { namespacesToIgnore: ['default'] }],
    ['--namespaces', { namespaces: ['shop'] }],
  ])('calls only for the namespaces that %s leaves', async (_flag, settings) => {
    const { harness, calls } = await started(undefined, settings, [
      namespace('shop', { labels: { env: 'prod' } }),
      configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }),
    ]);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.clock.advance(30_000);
    expect(calls()).toBe(1);
  });

  it('calls for a namespace only once it has the label, and counts what it skips', async () => {
    const shop = { metadata: { labels: { env: 'prod' } } };
    const { harness, calls, engine } = await started(undefined, { namespaceSelector: parseSelector('env=prod') });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    await patchObject(harness.admin, namespaces, undefined, 'default', shop, { type: 'merge' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(1);
    const passedOver = 'reloader_skipped_total{reason="ignored_or_not_selected"} 1';
    expect(await engine.metrics.registry.text()).toContain(passedOver);
  });

  it('calls for nothing that it lists before it knows the namespaces', async () => {
    const harness = new Harness();
    harness.seed(app);
    const webhook = new FakePostTransport();
    const match = ({ isWatch, pathname }: { readonly isWatch: boolean; readonly pathname: string }) =>
      isWatch && pathname === '/api/v1/namespaces';
    harness.faults.add({ match, times: 3, fault: { kind: 'status', code: 503 } });
    const settings = { namespaceSelector: parseSelector('env=prod'), reloadOnCreate: true };
    const engine = harness.launch(settings, undefined, { webhook });
    await harness.clock.advance(100);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    expect(webhook.posts).toEqual([]);
    expect(await engine.metrics.registry.text()).toContain(
      'reloader_skipped_total{reason="ignored_or_not_selected"} 0',
    );
  });

  it('calls only for a source that --resource-label-selector selects', async () => {
    const settings = { sourceSelector: parseSelector('tier=web') };
    const { harness, calls } = await started(undefined, settings, [
      configMap({ name: 'picked', labels: { tier: 'web' }, data: { color: 'red' } }),
    ]);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(0);
    await harness.edit('ConfigMap', 'picked', { color: 'blue' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(1);
  });

  it.each([
    ['each rotation', { csi: true, reloadOnDelete: true }, 2],
    ['no rotation where CSI is off', { csi: false }, 0],
    ['each rotation, whatever the labels of its status (Q48)', { csi: true, sourceSelector: parseSelector('a=b') }, 2],
    ['nothing in a namespace that is not selected', { csi: true, namespaceSelector: parseSelector('env=prod') }, 0],
  ])('§9 calls for %s', async (_what, settings, times) => {
    const { harness, calls } = await started(undefined, settings, [
      secretProviderClass('vault'),
      secretProviderClassPodStatus('a', 'vault', { pw: '1' }),
      secretProviderClassPodStatus('b', 'vault', { pw: '1' }),
    ]);
    await harness.clock.advance(60_000);
    await rotate(harness, 'a', '2');
    await rotate(harness, 'b', '2');
    await rotate(harness, 'a', '3');
    await deleteObject(harness.admin, secretProviderClasses, 'default', 'vault', { propagationPolicy: 'Background' });
    await harness.clock.advance(30_000);
    expect(calls()).toBe(times);
  });

  it.each([
    [{}, 0],
    [{ reloadOnCreate: true }, 1],
    [{ reloadOnDelete: true }, 1],
    [{ reloadOnCreate: true, reloadOnDelete: true }, 2],
  ])('with %j calls %i times for a source that is created and deleted', async (settings, times) => {
    const { harness, calls } = await started(undefined, settings);
    harness.seed(configMap({ name: 'new', data: { a: '1' } }));
    await harness.clock.advance(10_000);
    await harness.delete('ConfigMap', 'new');
    await harness.clock.advance(10_000);
    expect(calls()).toBe(times);
  });

  it('calls once for ten edits of a source within the settle window', async () => {
    const { harness, calls } = await started();
    for (let n = 0; n < 10; n++) {
      await harness.edit('ConfigMap', 'app', { color: `c${n}` });
      await harness.clock.advance(50);
    }
    await harness.clock.advance(10_000);
    expect(calls()).toBe(1);
  });

  it.each<[string, () => PostAnswer | Promise<PostAnswer>]>([
    ['is down', () => ({ status: 503, retryAfterMs: undefined })],
    ['hangs', hang],
  ])('Q59 retries until a call succeeds if the receiver %s', async (_what, answer) => {
    const { harness, webhook, calls, engine } = await started(answer);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(calls()).toBeGreaterThan(10);
    webhook.answerWith(() => ({ status: 200, retryAfterMs: undefined }));
    await harness.clock.advance(120_000);
    const heard = calls();
    await harness.clock.advance(300_000);
    expect(calls()).toBe(heard);
    expect(engine.lines.at(-1)).toMatchObject({
      message: 'webhook called',
      fields: { source: 'ConfigMap default/app' },
    });
  });

  it('Q59 names a refusal in the log, and does not repeat the call', async () => {
    const { harness, calls, engine } = await started(() => ({ status: 404, retryAfterMs: undefined }));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(calls()).toBe(1);
    expect(engine.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'webhook refused the call, which is not made again: see --webhook-url',
        fields: { source: 'ConfigMap default/app', error: 'answered 404' },
      },
    ]);
  });

  it('§14.3 does not follow a redirect, and logs what to do', async () => {
    const { harness, calls, engine } = await started(() => ({ status: 307, retryAfterMs: undefined }));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(calls()).toBe(1);
    expect(engine.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'webhook refused the call, which is not made again: see --webhook-url',
        fields: {
          source: 'ConfigMap default/app',
          error: 'answered 307: redirects are not followed; set the address that this one leads to, if you trust it',
        },
      },
    ]);
  });

  it('a call that hangs does not delay the calls for other sources', async () => {
    const { harness, webhook, calls } = await started(hang);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_100);
    webhook.answerWith(() => ({ status: 200, retryAfterMs: undefined }));
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(1_100);
    expect(calls()).toBe(2);
  });

  it('calls once for two replicas', async () => {
    const { harness, calls, webhook } = await started();
    await harness.start({ identity: 'reroll-1' }, undefined, { webhook });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(calls()).toBe(1);
  });

  it('does not call without the Lease, and makes the owed calls when the Lease is back', async () => {
    const { harness, webhook, calls } = await started(() => ({ status: 503, retryAfterMs: undefined }));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_100);
    const heal = harness.faults.add({
      match: ({ pathname }) => pathname.includes('/leases/'),
      fault: { kind: 'status', code: 503 },
    });
    await harness.clock.advance(15_000);
    const before = calls();
    webhook.answerWith(() => ({ status: 200, retryAfterMs: undefined }));
    await harness.clock.advance(300_000);
    expect(calls()).toBe(before);
    heal();
    await harness.clock.advance(60_000);
    expect(calls()).toBe(before + 1);
  });

  it('makes the calls that a killed leader did not make', async () => {
    const { harness, engine } = await started(hang);
    const webhook = new FakePostTransport();
    const calls = (): number => webhook.posts.length;
    await harness.start({ identity: 'reroll-1' }, undefined, { webhook });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(500);
    expect(calls()).toBe(0);
    engine.kill();
    await harness.clock.advance(60_000);
    expect(calls()).toBe(1);
  });

  it('is ready, and stops while a call hangs', async () => {
    const { harness, engine } = await started(hang);
    expect(engine.reconciler.status).toMatchObject({ state: 'acting', problem: undefined });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_000);
    const stopping = engine.stop();
    await harness.clock.advance(2_000);
    await stopping;
    expect(engine.reconciler.status.state).toBe('stopped');
  });

  it('makes the calls that wait for more changes before it stops: no other replica may know of them', async () => {
    const { harness, engine, calls } = await started();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(100);
    expect(calls()).toBe(0);
    const stopping = engine.stop();
    await harness.clock.advance(0);
    expect(calls()).toBe(2);
    await harness.clock.advance(2_000);
    await stopping;
    expect(engine.reconciler.status.state).toBe('stopped');
  });

  it('waits for a running call before it stops', async () => {
    let answer: (answered: PostAnswer) => void = () => undefined;
    const { harness, engine } = await started(async () => await new Promise((resolve) => (answer = resolve)));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_100);
    const stopping = engine.stop();
    answer({ status: 200, retryAfterMs: undefined });
    await stopping;
    expect(engine.lines.map(({ message }) => message)).toContain('webhook called');
  });

  it('does not accept change records', async () => {
    const { engine } = await started();
    expect(engine.reconciler.accept([{}, {}])).toEqual({ accepted: 0, refused: 2, full: false });
  });
});
