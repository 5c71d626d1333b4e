import { beforeEach, describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { engineUser, type Engine, type Harness, handoverLease } from './harness';
import { MutatingWebhook } from './mutating-webhook';

const auto = { 'reloader.stakater.com/auto': 'true' };
const path = '/apis/apps/v1/namespaces/default/deployments';
const app = configMap({ name: 'app', data: { color: 'red' } });
const web = (image = 'web:1', annotations: Readonly<Record<string, string>> = auto) =>
  deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')], image });

let harness: Harness;
let webhook: MutatingWebhook;
let engine: Engine;
/** Lag of the Deployment watch. */
let watchLagMs: number;
let sourceLagMs: number;

beforeEach(async () => {
  webhook = new MutatingWebhook();
  harness = webhook.harness;
  watchLagMs = 0;
  sourceLagMs = 0;
  harness.faults.add({
    match: ({ pathname, isWatch }) => isWatch && pathname.endsWith('/deployments'),
    fault: { kind: 'lag', lagMs: () => watchLagMs },
  });
  harness.faults.add({
    match: ({ pathname, isWatch }) => isWatch && pathname.endsWith('/configmaps'),
    fault: { kind: 'lag', lagMs: () => sourceLagMs },
  });
  harness.seed(app);
  harness.leaseTimings = handoverLease;
  engine = await harness.start();
  webhook.asked = [engine];
});

/** Advances the clock while the write is pending. */
async function meanwhile<T>(write: Promise<T>, ms = 1_000): Promise<T> {
  await harness.clock.advance(ms);
  return await write;
}

async function create(): Promise<void> {
  await meanwhile(harness.admin.request({ method: 'POST', path, body: web() }));
  await harness.clock.advance(60_000);
}

/** Like `kubectl replace` with a manifest that lacks Reroll's annotations. */
async function replace(manifest: object): Promise<void> {
  await meanwhile(
    harness.admin.request({ method: 'PUT', path: `${path}/web?fieldManager=kubectl-replace`, body: manifest }),
    300,
  );
}

function writesOfEngine(): number {
  return harness.writesOf('Deployment', 'web').filter(({ user }) => user === engineUser).length;
}

async function baseline(): Promise<string | undefined> {
  return (await harness.get('Deployment', 'web')).metadata.annotations?.['reroll.dev/baseline'];
}

/** Counts successive pod templates, the first included. Each new one replaces the pods. */
function templates(): number {
  const all = harness.writesOf('Deployment', 'web').map(({ object }) => JSON.stringify(harness.template(object)));
  return all.filter((template, index) => template !== all[index - 1]).length;
}

describe('the first baseline', () => {
  it('is part of the creation of a workload, and no write follows', async () => {
    await create();
    expect(await baseline()).toContain('"n":1');
    expect(writesOfEngine()).toBe(0);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is left to the engine if no reconciler answers', async () => {
    webhook.asked = [];
    await create();
    expect(await baseline()).toContain('"n":1');
    expect(writesOfEngine()).toBe(1);
  });

  it('is left to the engine if the content of the sources is not known in time', async () => {
    harness.faults.add({
      match: ({ pathname, query }) => pathname.endsWith('/configmaps') && query.has('fieldSelector'),
      ...{ times: 1, fault: { kind: 'delay', delayMs: 5_000 } },
    });
    await create();
    expect(await baseline()).toContain('"n":1');
    expect(writesOfEngine()).toBe(1);
  });

  it('contains no source that does not exist yet', async () => {
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(5_000);
    await meanwhile(harness.admin.request({ method: 'POST', path, body: web() }), 0);
    expect(await baseline()).toContain('"sources":{}');
  });

  const byPattern = web('web:1', { 'configmap.reloader.stakater.com/reload': 'sha.*' });

  it('of a workload that lists patterns is left to the engine, which still restarts for changes made meanwhile', async () => {
    harness.seed(configMap({ name: 'shared', data: { color: 'red' } }));
    await harness.clock.advance(5_000);
    await meanwhile(harness.admin.request({ method: 'POST', path, body: byPattern }), 0);
    expect(await baseline()).toBeUndefined();
    await harness.edit('ConfigMap', 'shared', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(await baseline()).toContain('"cm/shared"');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('of a workload that lists patterns is dated by the engine, even if no write succeeds before its policy is edited', async () => {
    harness.seed(configMap({ name: 'shared', data: { color: 'red' } }));
    await harness.clock.advance(60_000);
    const end = harness.faults.add({ match: ({ method }) => method === 'PATCH', fault: { kind: 'status', code: 500 } });
    await meanwhile(harness.admin.request({ method: 'POST', path, body: byPattern }), 10_000);
    await harness.edit('ConfigMap', 'shared', { color: 'blue' });
    await harness.clock.advance(10_000);
    const annotations = { 'configmap.reloader.stakater.com/reload': 'sha.*,extra' };
    await harness.patch('Deployment', 'web', { metadata: { annotations } });
    await harness.clock.advance(10_000);
    end();
    await harness.clock.advance(120_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is part of the write by which a workload opts in, too', async () => {
    harness.seed(web('web:1', {}));
    await harness.clock.advance(5_000);
    await replace(web());
    expect(await baseline()).toContain('"n":1');
    await harness.clock.advance(60_000);
    expect(writesOfEngine()).toBe(0);
  });

  it('is never taken from a standby', async () => {
    const standby = await harness.start({ identity: 'reroll-1' });
    webhook.asked = [standby];
    await create();
    expect(writesOfEngine()).toBe(1);
    webhook.asked = [standby, engine];
    await harness.delete('Deployment', 'web');
    await harness.clock.advance(5_000);
    await create();
    expect(writesOfEngine()).toBe(1);
  });
});

describe("a replacement without Reroll's annotations", () => {
  it('keeps restart marker and baseline, again and again', async () => {
    await create();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const recorded = await baseline();
    expect(recorded).toContain('"n":2');
    const before = { templates: templates(), writes: writesOfEngine() };
    for (let round = 0; round < 20; round++) {
      await replace(web());
      await harness.clock.advance(60_000);
    }
    expect({ templates: templates(), writes: writesOfEngine() }).toEqual(before);
    expect(await baseline()).toBe(recorded);
  });

  it('keeps them even if no reconciler answers', async () => {
    await create();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const before = { templates: templates(), writes: writesOfEngine(), baseline: await baseline() };
    webhook.asked = [];
    await replace(web());
    await harness.clock.advance(60_000);
    expect({ templates: templates(), writes: writesOfEngine(), baseline: await baseline() }).toEqual(before);
  });

  it('loses them if it opts out', async () => {
    await create();
    await replace(web('web:1', {}));
    await harness.clock.advance(60_000);
    expect(await baseline()).toBeUndefined();
    expect(writesOfEngine()).toBe(0);
  });
});

describe('a new template during the settle window', () => {
  it('includes the restart: one template, and no write of the engine', async () => {
    await create();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300);
    await replace(web('web:2'));
    await harness.clock.advance(60_000);
    expect(templates()).toBe(2);
    expect(writesOfEngine()).toBe(0);
    expect(await baseline()).toContain('"n":2');
    const { metadata } = await harness.get('Deployment', 'web');
    expect(metadata.annotations?.['reroll.dev/last-restart']).toContain('"cm/app"');
    const folded = engine.lines.filter(({ message }) => message.includes('included the owed restart'));
    expect(folded.map(({ fields }) => fields['because'])).toEqual([['ConfigMap app: content changed (keys: color)']]);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('includes the restart for a change that was announced and that no watch has shown', async () => {
    webhook.engine.start();
    await create();
    sourceLagMs = 30_000;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30);
    await replace(web('web:2'));
    expect(await baseline()).toContain('"n":2');
    await harness.clock.advance(60_000);
    expect(templates()).toBe(2);
    expect(writesOfEngine()).toBe(0);
    await webhook.engine.stop();
  });

  it('leaves the restart to the engine if that takes more than a template', async () => {
    const held = { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' };
    await create();
    await replace(web('web:1', held));
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300);
    await replace(web('web:2', held));
    await harness.clock.advance(60_000);
    expect(writesOfEngine()).toBe(1);
    expect(fieldAt(await harness.get('Deployment', 'web'), ['spec', 'paused'])).toBe(true);
  });

  it('is followed by the restart if the engine has seen another baseline', async () => {
    await create();
    watchLagMs = 30_000;
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300);
    await replace(web('web:2'));
    expect(await baseline()).toContain('"n":2');
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(300);
    // The baseline that the engine remembers is older than the stored one: it must not go into this write.
    await replace(web('web:3'));
    expect(await baseline()).toContain('"n":2');
    await harness.clock.advance(120_000);
    expect(await baseline()).toContain('"n":3');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is followed by the restart if no reconciler answers', async () => {
    await create();
    webhook.asked = [];
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300);
    await replace(web('web:2'));
    await harness.clock.advance(60_000);
    expect(templates()).toBe(3);
    expect(writesOfEngine()).toBe(1);
  });
});
