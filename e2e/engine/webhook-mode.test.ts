import { describe, expect, it } from '@jest/globals';
import { FakePostTransport, hang } from '../../reconciler/outbound/post.fixture';
import type { PostAnswer } from '../../reconciler/outbound/post-transport';
import { configMap, deployment, fromConfigMap, secret } from '../apiserver/cluster';
import { Harness } from './harness';

const app = configMap({ name: 'app', data: { color: 'red' } });
const auto = { 'reloader.stakater.com/auto': 'true' };
const web = deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] });

async function started(
  answer?: () => PostAnswer | Promise<PostAnswer>,
  settings: Parameters<Harness['start']>[0] = {},
) {
  const harness = new Harness();
  harness.seed(app, secret({ name: 'db', data: { password: 'a' } }), web);
  const webhook = new FakePostTransport(answer);
  const engine = await harness.start(settings, undefined, { webhook });
  return { harness, webhook, engine, calls: () => webhook.posts.length };
}

describe('§14.3 webhook mode', () => {
  it.each([
    ['ConfigMap', 'app'],
    ['Secret', 'db'],
  ] as const)('posts the one body of Reloader for a change of a %s', async (kind, name) => {
    const { harness, webhook } = await started();
    await harness.edit(kind, name, { key: 'blue' });
    await harness.clock.advance(10_000);
    expect(webhook.posts.map(({ contentType }) => contentType)).toEqual(['application/json']);
    expect(webhook.texts).toEqual(['{"webhook":"update successful"}']);
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
      '--webhook-url is set: changes are told to it, and no workload is restarted',
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

  it('calls also for what is marked to be ignored: annotations count for nothing', async () => {
    const { harness, calls } = await started();
    await harness.annotate('ConfigMap', 'app', { 'reloader.stakater.com/ignore': 'true' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(10_000);
    expect(calls()).toBe(1);
  });

  it.each([
    [{}, 0],
    [{ reloadOnCreate: true }, 1],
    [{ reloadOnDelete: true }, 1],
    [{ reloadOnCreate: true, reloadOnDelete: true }, 2],
  ])('with %j calls %i times for a source that comes and goes', async (settings, times) => {
    const { harness, calls } = await started(undefined, settings);
    harness.seed(configMap({ name: 'new', data: { a: '1' } }));
    await harness.clock.advance(10_000);
    await harness.delete('ConfigMap', 'new');
    await harness.clock.advance(10_000);
    expect(calls()).toBe(times);
  });

  it('is one call for ten edits of a source within the settle window', async () => {
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
  ])('§19 Q59 calls until it was heard where the receiver %s', async (_what, answer) => {
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

  it('§19 Q59 names a refusal in the log, and does not repeat the call', async () => {
    const { harness, calls, engine } = await started(() => ({ status: 404, retryAfterMs: undefined }));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(calls()).toBe(1);
    expect(engine.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'webhook refused the call; it is not made again',
        fields: { source: 'ConfigMap default/app', error: 'answered 404' },
      },
    ]);
  });

  it('one source that cannot be told of delays no other', async () => {
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

  it('does not call without the Lease, and tells what is owed when it is back', async () => {
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

  it('tells what the leader did not live to tell', async () => {
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

  it('lets a call that is under way end before it stops', async () => {
    let answer: (answered: PostAnswer) => void = () => undefined;
    const { harness, engine } = await started(async () => await new Promise((resolve) => (answer = resolve)));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(1_100);
    const stopping = engine.stop();
    answer({ status: 200, retryAfterMs: undefined });
    await stopping;
    expect(engine.lines.map(({ message }) => message)).toContain('webhook called');
  });

  it('has no use for change records', async () => {
    const { engine } = await started();
    expect(engine.reconciler.accept([{}, {}])).toEqual({ accepted: 0, refused: 2, full: false });
  });
});
