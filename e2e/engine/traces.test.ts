import { beforeEach, describe, expect, it } from '@jest/globals';
import { hang } from '../../shared/outbound/post.fixture';
import { attributeNames } from '../../shared/tracing/attributes';
import { configMap, deployment, fromConfigMap, fromSecret, job, secret } from '../apiserver/cluster';
import { drawn, type CollectedSpan } from '../collector';
import { codeSpans, textOf } from '../docs/pages';
import { engineUser } from './harness';
import { rule } from './rights.fixture';
import { app, auto, ownRights, readAll, uses, web } from './situations.fixture';
import { TracedCluster } from './traced.fixture';

const minute = 60_000;
const blue = { color: 'blue' };

let cluster: TracedCluster;

beforeEach(() => {
  cluster = new TracedCluster(2_000);
});

/** The spans with this name, which are to be there. */
function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [first, ...others] = spans.filter((span) => span.name === name);
  expect([name, first, others]).toEqual([name, expect.anything(), []]);
  return first!;
}

const [webhook, reconciler] = ['(reroll-webhook)', '(reroll-reconciler)'];
const restart = [
  `  restart Deployment ${reconciler}`,
  `    settle ${reconciler}`,
  `    write Deployment ${reconciler}`,
  `    roll out Deployment ${reconciler}`,
];

describe('a change that is admitted', () => {
  it('is one trace, from the admission to healthy pods', async () => {
    const { harness } = cluster;
    harness.seed(app, web);
    await cluster.startEngine();
    await cluster.startWebhook();
    await harness.clock.advance(minute);
    const editedMs = harness.clock.nowMs();
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    const spans = await cluster.spans();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(drawn(spans)).toEqual([`admit ConfigMap ${webhook}`, `  deliver ${webhook}`, ...restart]);

    const admit = named(spans, 'admit ConfigMap');
    expect(admit.startMs).toBe(editedMs);
    const [restarted, settle, write] = ['restart Deployment', 'settle', 'write Deployment'].map((name) =>
      named(spans, name),
    );
    const rollout = named(spans, 'roll out Deployment');
    expect(settle!.endMs - settle!.startMs).toBe(1_000);
    expect([restarted!.startMs, write!.startMs]).toEqual([settle!.startMs, settle!.endMs]);
    expect(rollout.endMs - rollout.startMs).toBeGreaterThan(2_000);

    const annotations = (await harness.get('Deployment', 'web')).metadata.annotations ?? {};
    const { id, changes } = JSON.parse(annotations['reroll.dev/last-restart'] ?? '{}') as {
      readonly id: string;
      readonly changes: Readonly<Record<string, string>>;
    };
    for (const { attributes } of [admit, restarted!, rollout]) {
      expect(attributes).toMatchObject({
        'reroll.change.id': changes['cm/app'],
        'reroll.source': 'ConfigMap default/app',
        'k8s.namespace.name': 'default',
      });
    }
    expect(restarted!.attributes).toMatchObject({ 'reroll.restart.id': id, 'reroll.user': 'admin' });
    expect(rollout.attributes).toMatchObject({ 'reroll.restart.id': id, 'reroll.outcome': 'healthy' });
    expect(spans.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('that restarts nothing ends with its delivery', async () => {
    cluster.harness.seed(app, configMap({ name: 'unused', data: { a: '1' } }), web);
    await cluster.startEngine();
    await cluster.startWebhook();
    await cluster.harness.edit('ConfigMap', 'unused', { a: '2' });
    expect(drawn(await cluster.spans())).toEqual([`admit ConfigMap ${webhook}`, `  deliver ${webhook}`]);
  });

  it('has one trace for all workloads that it restarts', async () => {
    cluster.harness.seed(app, web, deployment({ name: 'api', ...uses }));
    await cluster.startEngine();
    await cluster.startWebhook();
    await cluster.harness.clock.advance(minute);
    await cluster.harness.edit('ConfigMap', 'app', blue);
    await cluster.harness.clock.advance(minute);
    expect(drawn(await cluster.spans())).toEqual([
      ...[`admit ConfigMap ${webhook}`, `  deliver ${webhook}`, ...restart, ...restart],
    ]);
  });
});

describe('without a webhook', () => {
  async function changed(settings = {}): Promise<readonly CollectedSpan[]> {
    cluster.harness.seed(app, web);
    await cluster.startEngine(settings);
    await cluster.harness.clock.advance(minute);
    await cluster.harness.edit('ConfigMap', 'app', blue);
    await cluster.harness.clock.advance(minute);
    return await cluster.spans();
  }

  it('a trace begins when the change is noticed', async () => {
    expect(drawn(await changed())).toEqual([`notice ConfigMap ${reconciler}`, ...restart]);
  });

  it('changes that one restart answers have a trace each, and each leads to the other', async () => {
    const { harness } = cluster;
    const more = configMap({ name: 'more', data: { color: 'red' } });
    harness.seed(
      app,
      more,
      deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app'), fromConfigMap('more')] }),
    );
    await cluster.startEngine();
    await harness.clock.advance(minute);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(500);
    await harness.edit('ConfigMap', 'more', blue);
    await harness.clock.advance(minute);
    const restarts = (await cluster.spans()).filter(({ name }) => name === 'restart Deployment');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    const [first, second] = restarts;
    expect(restarts).toHaveLength(2);
    expect(second!.startMs - first!.startMs).toBe(500);
    expect(first!.links).toMatchObject([{ traceId: second!.traceId, spanId: second!.spanId }]);
    expect(second!.links).toMatchObject([{ traceId: first!.traceId, spanId: first!.spanId }]);
  });

  it('the next leader adds to the trace how a restart of the one before ended', async () => {
    cluster = new TracedCluster(2 * minute);
    const { harness } = cluster;
    harness.seed(app, web);
    const first = await cluster.startEngine();
    await harness.clock.advance(5 * minute);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(30_000);
    await first.stop();
    expect(drawn(await cluster.spans())).toEqual([`notice ConfigMap ${reconciler}`, ...restart.slice(0, 3)]);
    await cluster.startEngine({ identity: 'reroll-1' });
    await harness.clock.advance(10 * minute);
    expect(drawn(await cluster.spans())).toEqual([`notice ConfigMap ${reconciler}`, ...restart]);
  });

  it('a dry run withholds the restart', async () => {
    const spans = await changed({ dryRun: true });
    expect(drawn(spans)).toEqual([`notice ConfigMap ${reconciler}`, ...restart.slice(0, 2)]);
    expect(named(spans, 'restart Deployment').attributes['reroll.decision']).toBe('withheld');
  });

  it('a refused restart is an error, once, and the one that succeeds has waited', async () => {
    const { harness } = cluster;
    harness.seed(app, web);
    await cluster.startEngine();
    await harness.clock.advance(minute);
    harness.server.rbac.restrict(engineUser, [readAll, ownRights]);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(5 * minute);
    expect((await cluster.spans()).filter(({ name }) => name.startsWith('restart'))).toMatchObject([
      { attributes: { 'reroll.decision': 'refused', 'error.type': 'KUBE_FORBIDDEN' }, error: 'KUBE_FORBIDDEN' },
    ]);
    harness.server.rbac.restrict(engineUser, [rule('*', '*', '*')]);
    await harness.clock.advance(5 * minute);
    const spans = await cluster.spans();
    expect(named(spans, 'wait').attributes).toEqual({ 'reroll.wait': 'permission', 'error.type': 'KUBE_FORBIDDEN' });
    const [, restarted] = spans.filter(({ name }) => name === 'restart Deployment');
    expect(restarted).toMatchObject({ attributes: { 'reroll.decision': 'restarted' }, error: undefined });
  });

  it('a restart that meets a conflict shows the wait before it, and that it was tried again', async () => {
    const { harness } = cluster;
    harness.seed(app, web);
    await cluster.startEngine();
    await harness.clock.advance(minute);
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web'),
      ...{ times: 2, fault: { kind: 'status', code: 409 } },
    });
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(minute);
    const spans = await cluster.spans();
    expect(drawn(spans)).toEqual([
      ...[`notice ConfigMap ${reconciler}`, ...restart.slice(0, 2), `    wait ${reconciler}`, ...restart.slice(2)],
    ]);
    expect(named(spans, 'settle').startMs).toBe(named(spans, 'restart Deployment').startMs);
    expect(named(spans, 'wait').attributes).toEqual({ 'reroll.wait': 'retry', 'error.type': 'KUBE_CONFLICT' });
  });

  it('a restart that somebody else’s rollout replaces is coalesced, after a wait for it', async () => {
    const { harness } = cluster;
    harness.seed(app, web);
    await cluster.startEngine();
    await harness.clock.advance(minute);
    await harness.edit('ConfigMap', 'app', blue);
    await harness.clock.advance(300);
    const containers = [{ name: 'app', image: 'app:2' }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(minute);
    const spans = await cluster.spans();
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(named(spans, 'restart Deployment').attributes).toMatchObject({
      'reroll.decision': 'coalesced',
      'reroll.reason': expect.stringContaining('coalesced with the rollout'),
    });
    expect(named(spans, 'wait').attributes).toEqual({ 'reroll.wait': 'rollout' });
  });

  it('a Job is restarted in the trace of its change', async () => {
    cluster.harness.seed(app, job({ name: 'migrate', ...uses }));
    await cluster.startEngine();
    await cluster.harness.edit('ConfigMap', 'app', blue);
    await cluster.harness.clock.advance(minute);
    const spans = await cluster.spans();
    const expected = ['restart Job', '  settle', '  write Job', '  roll out Job'].map(
      (line) => `  ${line} ${reconciler}`,
    );
    expect(drawn(spans)).toEqual([`notice ConfigMap ${reconciler}`, ...expected]);
  });
});

describe('a collector', () => {
  it('that hangs delays no restart', async () => {
    cluster = new TracedCluster();
    cluster.collector.answerWith(hang);
    const names = Array.from({ length: 15 }, (_, n) => `web-${n}`);
    cluster.harness.seed(app, ...names.map((name) => deployment({ name, ...uses })));
    await cluster.startEngine();
    await cluster.startWebhook();
    for (const color of ['blue', 'green']) {
      await cluster.harness.edit('ConfigMap', 'app', { color });
      // The settle window (1 s), with no time to wait for the collector.
      await cluster.harness.clock.advance(1_100);
    }
    expect(names.map((name) => cluster.harness.restarts('Deployment', name))).toEqual(names.map(() => 2));
  });

  it('learns nothing of a Secret: no value, and no digest', async () => {
    const { harness } = cluster;
    harness.seed(
      secret({ name: 'db', data: { password: 'hunter2-before' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }),
    );
    await cluster.startEngine();
    await cluster.startWebhook();
    await harness.edit('Secret', 'db', { password: 'hunter2-after', pin: '948261' });
    await harness.clock.advance(minute);
    expect((await cluster.spans()).map(({ name }) => name)).toContain('roll out Deployment');
    const text = cluster.collector.texts.join();
    expect(text).toContain('Secret default/db');
    const annotations = (await harness.get('Deployment', 'web')).metadata.annotations ?? {};
    const digests = (annotations['reroll.dev/baseline'] ?? '').match(/(?<![\w-])[\w-]{22}(?![\w-])/g) ?? [];
    expect(digests.length).toBeGreaterThan(0);
    for (const content of ['hunter2', '948261', ...digests]) {
      expect(text).not.toContain(content);
      expect(text).not.toContain(Buffer.from(content).toString('base64').slice(0, 6));
    }
  });
});

it('every attribute that Reroll names stands in docs/tracing.md, and none besides', () => {
  const documented = codeSpans(textOf('docs/tracing.md')).filter((span) => /^reroll\.[a-z_.]+$/.test(span));
  expect([...new Set(documented)].toSorted()).toEqual(Object.values(attributeNames).toSorted());
});
