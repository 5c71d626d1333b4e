import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { createObject, deleteObject, patchObject } from '../../shared/kube/client/objects';
import { configMaps, namespaces } from '../../shared/kube/resource';
import { Controllers } from '../apiserver/controllers/controllers';
import { configMap, cronJob, deployment, fromConfigMap, job, namespace, secret } from '../apiserver/cluster';
import { ownNamespace } from '../engine-settings';
import { asked, inspected } from './inspection.fixture';
import { Harness, handoverLease, type Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const hold = 'reroll.dev/hold';
const installHold = { metadata: { name: 'reroll-hold', namespace: ownNamespace } };
const release = { spec: { template: { metadata: { labels: { release: '2' } } } } };
const hourMs = 3_600_000;

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
});

/** A Deployment of a name that uses ConfigMap `app`. */
function web(annotations: Record<string, string> = {}, name = 'web') {
  const envFrom = [fromConfigMap('app')];
  return deployment({ name, namespace: 'shop', annotations: { ...auto, ...annotations }, envFrom });
}

async function start(settings: Partial<EngineSettings> = {}): Promise<void> {
  engine = await harness.start(settings);
  await settled();
}

async function settled(): Promise<void> {
  await harness.clock.advance(30_000);
}

async function edit(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, 'shop');
  await settled();
}

async function annotateWorkload(annotations: Record<string, string | null>, name = 'web'): Promise<void> {
  await harness.patch('Deployment', name, { metadata: { annotations } }, 'shop');
  await settled();
}

async function annotateSource(annotations: Record<string, string | null>): Promise<void> {
  await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } }, 'shop');
  await settled();
}

async function annotateNamespace(annotations: Record<string, string | null>): Promise<void> {
  await patchObject(harness.admin, namespaces, undefined, 'shop', { metadata: { annotations } }, { type: 'merge' });
  await settled();
}

async function holdEverything(): Promise<void> {
  await createObject(harness.admin, configMaps, ownNamespace, installHold);
  await settled();
}

async function releaseEverything(): Promise<void> {
  await deleteObject(harness.admin, configMaps, ownNamespace, 'reroll-hold', { propagationPolicy: 'Background' });
  await settled();
}

/** The Deployment has one pod less until its ReplicaSet has created another. */
async function evictPod(name: string): Promise<void> {
  for (const availableReplicas of [0, 1]) {
    await patchStatus(name, { availableReplicas });
    await settled();
  }
}

async function patchStatus(name: string, status: object): Promise<void> {
  const options = { type: 'merge', subresource: 'status' } as const;
  await patchObject(harness.admin, workloadKind('Deployment').resource, 'shop', name, { status }, options);
}

async function replaceProcess(): Promise<void> {
  await harness.clock.advance(hourMs);
  await engine.stop();
  await start();
}

function restarts(name = 'web'): number {
  return harness.restarts('Deployment', name, 'shop');
}

function status(): object {
  return inspected.workload(engine, 'Deployment/shop/web');
}

describe('a hold', () => {
  it.each([
    ['the workload', annotateWorkload, 'reroll.dev/hold on the workload: audit'],
    ['the source', annotateSource, 'reroll.dev/hold on ConfigMap app: audit'],
    ['the namespace', annotateNamespace, 'reroll.dev/hold on namespace shop: audit'],
  ])('on %s restarts nothing, and what is owed restarts once when it ends', async (_where, annotate, detail) => {
    harness.seed(web());
    await start();
    await annotate({ [hold]: 'because=audit' });
    await edit('blue');
    await edit('green');
    await harness.clock.advance(2 * hourMs);
    expect(restarts()).toBe(0);
    expect(status()).toMatchObject({ state: 'waiting', waitsFor: 'hold', restart: 'owed', detail });
    await annotate({ [hold]: null });
    expect(restarts()).toBe(1);
    expect(status()).toMatchObject({ restart: 'not-owed' });
    await engine.stop();
  });

  it('of everything is a ConfigMap, which no annotation overrides', async () => {
    harness.seed(web({ [hold]: 'false' }));
    await start();
    await holdEverything();
    await edit('blue');
    expect(restarts()).toBe(0);
    expect(status()).toMatchObject({ waitsFor: 'hold', detail: `ConfigMap ${ownNamespace}/reroll-hold` });
    await releaseEverything();
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('of everything with hold: "false" holds nothing, so that a repository can own the ConfigMap', async () => {
    harness.seed(web(), configMap({ name: 'reroll-hold', namespace: ownNamespace, annotations: { [hold]: 'false' } }));
    await start();
    await edit('blue');
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('ends by itself at its time', async () => {
    harness.seed(web());
    await start();
    const until = new Date(harness.clock.nowMs() + 2 * hourMs).toISOString();
    await annotateNamespace({ [hold]: `until=${until}` });
    await edit('blue');
    expect(status()).toMatchObject({ waitsFor: 'hold', until });
    await harness.clock.advance(2 * hourMs - 120_000);
    expect(restarts()).toBe(0);
    await harness.clock.advance(120_000);
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('is overridden by hold: "false" nearer to the workload', async () => {
    harness.seed(web(), web({ [hold]: 'false' }, 'free'));
    await start();
    await annotateNamespace({ [hold]: 'true' });
    await edit('blue');
    expect([restarts('web'), restarts('free')]).toEqual([0, 1]);
    await engine.stop();
  });

  it('on one source lets another restart, and pods then have the held change too', async () => {
    harness.seed(
      secret({ name: 'db', namespace: 'shop', data: { password: 'a' } }),
      deployment({
        ...{ name: 'web', namespace: 'shop', annotations: auto },
        envFrom: [fromConfigMap('app'), { secretRef: { name: 'db' } }],
      }),
    );
    await start();
    await annotateSource({ [hold]: 'true' });
    await edit('blue');
    expect(restarts()).toBe(0);
    await harness.edit('Secret', 'db', { password: 'b' }, 'shop');
    await settled();
    expect(restarts()).toBe(1);
    await annotateSource({ [hold]: null });
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it.each<[what: string, startsPods: (name: string) => Promise<void>]>([
    ['somebody has rolled it out', async (name) => await harness.patch('Deployment', name, release, 'shop')],
    ['it was scaled', async (name) => await harness.patch('Deployment', name, { spec: { replicas: 2 } }, 'shop')],
    ['a pod was evicted', async (name) => await evictPod(name)],
  ])(
    'is nothing that a change back needs, unless %s: pods that started have what was there then',
    async (_, starts) => {
      new Controllers(harness.server).start();
      harness.seed(web({}, 'other'), web());
      await start();
      await annotateSource({ [hold]: 'true' });
      await edit('blue');
      await starts('web');
      await settled();
      await edit('red');
      // What is in doubt stays so whoever leads.
      await replaceProcess();
      await annotateSource({ [hold]: null });
      expect([restarts('other'), restarts('web')]).toEqual([0, 1]);
      const restarted = harness.objects('Event').filter(({ reason }) => reason === 'Reloaded');
      expect(restarted.map(({ message }) => message)).toEqual([
        expect.stringContaining('ConfigMap app: it was changed back, and pods that started in between may have'),
      ]);
      await engine.stop();
    },
  );

  it.each(['10m', '8s'])('is like a settle window of %s, in which pods may start too', async (settle) => {
    new Controllers(harness.server).start();
    harness.seed(web({ 'reroll.dev/settle': settle }), web({ 'reroll.dev/settle': settle }, 'other'));
    await start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.patch('Deployment', 'web', release, 'shop');
    await harness.clock.advance(4_000);
    const baselines = harness
      .objects('Deployment')
      .map(({ metadata }) => metadata.annotations?.['reroll.dev/baseline']);
    expect(baselines.filter((text) => text?.includes('"inDoubt":["cm/app"]'))).toHaveLength(1);
    await edit('red');
    await harness.clock.advance(600_000);
    expect([restarts('other'), restarts('web')]).toEqual([0, 1]);
    await engine.stop();
  });

  it('is not like a settle window for a pod that is broken: what is taken back in the window restarts nothing', async () => {
    harness.seed(web({ 'reroll.dev/settle': '8s' }));
    // The generation grows with each baseline.
    const counts = { observedGeneration: 100, replicas: 1, updatedReplicas: 1, availableReplicas: 0 };
    await patchStatus('web', counts);
    await start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.clock.advance(4_000);
    await edit('red');
    expect(restarts()).toBe(0);
    await engine.stop();
  });

  it('is nothing that a change back needs', async () => {
    harness.seed(web());
    await start();
    await annotateWorkload({ [hold]: 'true' });
    await edit('blue');
    await edit('red');
    await annotateWorkload({ [hold]: null });
    expect(restarts()).toBe(0);
    await engine.stop();
  });

  it('holds Jobs and CronJobs too', async () => {
    const pod = { namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] };
    harness.seed(job({ name: 'once', ...pod }), cronJob({ name: 'nightly', ...pod }));
    await start();
    const uid = (await harness.get('Job', 'once', 'shop')).metadata.uid;
    await annotateNamespace({ [hold]: 'true' });
    await edit('blue');
    expect((await harness.get('Job', 'once', 'shop')).metadata.uid).toBe(uid);
    expect(harness.objects('Job')).toHaveLength(1);
    await annotateNamespace({ [hold]: null });
    expect((await harness.get('Job', 'once', 'shop')).metadata.uid).not.toBe(uid);
    expect(harness.objects('Job')).toHaveLength(2);
    await engine.stop();
  });

  it('is read before anything is restarted', async () => {
    harness.seed(web());
    await start();
    await engine.stop();
    await edit('blue');
    await createObject(harness.admin, configMaps, ownNamespace, installHold);
    const end = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith(`/${ownNamespace}/configmaps`),
      fault: { kind: 'status', code: 500 },
    });
    engine = harness.launch();
    await harness.clock.advance(120_000);
    expect(restarts()).toBe(0);
    expect(engine.reconciler.status.state).toBe('syncing');
    expect(JSON.parse(asked(engine, '/v1/workloads').text)).toMatchObject({ code: 'not-synced' });
    end();
    await harness.clock.advance(120_000);
    expect(restarts()).toBe(0);
    await releaseEverything();
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('is not taken for none because a server that has just started refuses to show it', async () => {
    harness.seed(web());
    await start();
    await engine.stop();
    await edit('blue');
    await createObject(harness.admin, configMaps, ownNamespace, installHold);
    harness.faults.add({
      match: ({ pathname }) => pathname.endsWith(`/${ownNamespace}/configmaps`),
      fault: { kind: 'status', code: 403 },
      times: 2,
    });
    await start();
    expect(restarts()).toBe(0);
    await engine.stop();
  });

  it('without the right to read it is none, and the rest goes on', async () => {
    harness.seed(web());
    harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/namespaces' || pathname.endsWith(`/${ownNamespace}/configmaps`),
      fault: { kind: 'status', code: 403 },
    });
    await start();
    await edit('blue');
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it.each([
    ['', []],
    [', also where no source may be listed', ['/api/v1/configmaps', '/api/v1/secrets']],
  ])('is known to the next leader, however late its own watch is%s', async (_where, refused) => {
    harness = new Harness({ watchList: 'rejected' });
    harness.leaseTimings = handoverLease;
    harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }), web());
    harness.faults.add({
      match: ({ pathname }) => refused.includes(pathname),
      fault: { kind: 'status', code: 403 },
    });
    await start();
    const end = harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(`/${ownNamespace}/configmaps`),
      fault: { kind: 'lag', lagMs: 600_000 },
    });
    const standby = await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(2_000);
    end();
    await createObject(harness.admin, configMaps, ownNamespace, installHold);
    await edit('blue');
    await engine.stop();
    await harness.clock.advance(180_000);
    expect(restarts()).toBe(0);
    await releaseEverything();
    expect(restarts()).toBe(1);
    await standby.stop();
  });

  it.each([
    ['the process goes on', async () => await harness.clock.advance(2 * hourMs)],
    ['another process takes over an hour later', async () => await replaceProcess()],
    [
      'somebody removes the record, and another process takes over',
      async () => {
        await annotateWorkload({ 'reroll.dev/baseline': null });
        await replaceProcess();
      },
    ],
  ])('holds what was owed before anything was recorded, and %s', async (_what, happens) => {
    await start();
    await annotateNamespace({ [hold]: 'true' });
    // The change comes in the second after the creation, and before the workload is recorded.
    await harness.clock.advance(1_900 - (harness.clock.nowMs() % 1_000));
    harness.seed(web());
    await harness.clock.advance(200);
    await edit('blue');
    await happens();
    expect(restarts()).toBe(0);
    await annotateNamespace({ [hold]: null });
    await harness.clock.advance(60_000);
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('is told once in the log and in an Event', async () => {
    harness.seed(web());
    await start();
    await annotateWorkload({ [hold]: 'because=audit' });
    await edit('blue');
    await harness.clock.advance(2 * hourMs);
    const told = engine.lines.filter(({ message }) => message.includes('not restarted yet'));
    expect(told).toHaveLength(1);
    expect(harness.objects('Event').filter(({ reason }) => reason === 'ReloadDeferred')).toHaveLength(1);
    await engine.stop();
  });

  it('costs no request while it lasts', async () => {
    harness.seed(web());
    await start();
    await annotateWorkload({ [hold]: 'true' });
    await edit('blue');
    harness.requestsSinceLast();
    await harness.clock.advance(hourMs);
    expect(harness.requestsSinceLast().filter((request) => !request.startsWith('watch '))).toEqual([]);
    await engine.stop();
  });
});

describe('windows', () => {
  /** A window that opens in an hour, for half an hour. */
  function inAnHour(): string {
    const [opens, closes] = [hourMs, 1.2 * hourMs].map((ms) => new Date(harness.clock.nowMs() + ms).toISOString());
    return `${opens!.slice(11, 16)}-${closes!.slice(11, 16)}`;
  }

  it.each([
    ['the workload', async (windows: string) => await annotateWorkload({ 'reroll.dev/windows': windows })],
    ['the source', async (windows: string) => await annotateSource({ 'reroll.dev/windows': windows })],
    ['the namespace', async (windows: string) => await annotateNamespace({ 'reroll.dev/windows': windows })],
  ])('on %s keep a restart until they open', async (_where, annotate) => {
    harness.seed(web());
    await start();
    const startMs = harness.clock.nowMs();
    await annotate(inAnHour());
    await edit('blue');
    expect(status()).toMatchObject({ waitsFor: 'window', state: 'waiting' });
    await harness.clock.advance(hourMs - 120_000 - (harness.clock.nowMs() - startMs));
    expect(restarts()).toBe(0);
    await harness.clock.advance(180_000);
    expect(restarts()).toBe(1);
    await edit('green');
    expect(restarts()).toBe(2);
    await harness.clock.advance(hourMs);
    await edit('yellow');
    expect(restarts()).toBe(2);
    await engine.stop();
  });

  it('of the install are a flag, which a workload overrides', async () => {
    harness.seed(web(), web({ 'reroll.dev/windows': 'always' }, 'free'));
    await start({ gates: { windows: parseRestartWindows(inAnHour()) } });
    await edit('blue');
    expect([restarts('web'), restarts('free')]).toEqual([0, 1]);
    await harness.clock.advance(hourMs);
    expect(restarts('web')).toBe(1);
    await engine.stop();
  });

  it('and intervals are passed by an urgent source, and the restart says so', async () => {
    harness.seed(web());
    await start({ gates: { windows: parseRestartWindows(inAnHour()), minIntervalMs: hourMs } });
    await annotateSource({ 'reroll.dev/urgent': 'true' });
    await edit('blue');
    await edit('green');
    expect(restarts()).toBe(2);
    const [event] = harness.objects('Event').filter(({ reason }) => reason === 'Reloaded');
    expect(event?.['message']).toContain('at once, because the change is urgent (--restart-windows: ');
    await engine.stop();
  });
});

describe('a minimum interval', () => {
  it('is kept between two restarts of one workload', async () => {
    harness.seed(web({ 'reroll.dev/min-interval': '1h' }));
    await start();
    await edit('blue');
    expect(restarts()).toBe(1);
    await edit('green');
    await edit('yellow');
    expect([restarts(), status()]).toMatchObject([1, { waitsFor: 'interval' }]);
    await harness.clock.advance(hourMs);
    expect(restarts()).toBe(2);
    await engine.stop();
  });

  it('counts from a restart that no watch has shown yet', async () => {
    harness.seed(web({ 'reroll.dev/min-interval': '1h' }));
    await start({ settleMs: 0 });
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
      fault: { kind: 'lag', lagMs: 20_000 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.clock.advance(1_000);
    await harness.edit('ConfigMap', 'app', { color: 'green' }, 'shop');
    await harness.clock.advance(60_000);
    expect(restarts()).toBe(1);
    await engine.stop();
  });

  it('is kept by the next process', async () => {
    harness.seed(web({ 'reroll.dev/min-interval': '1h' }));
    await start();
    await edit('blue');
    await engine.stop();
    await edit('green');
    await start();
    expect(restarts()).toBe(1);
    await harness.clock.advance(hourMs);
    expect(restarts()).toBe(2);
    await engine.stop();
  });
});

describe('restart: next-rollout', () => {
  it('restarts nothing, and what is owed is shown', async () => {
    harness.seed(web({ 'reroll.dev/restart': 'next-rollout' }));
    await start();
    await edit('blue');
    await harness.clock.advance(2 * hourMs);
    expect([restarts(), status()]).toMatchObject([0, { waitsFor: 'next-rollout', restart: 'owed' }]);
    await annotateWorkload({ 'reroll.dev/restart': null });
    expect(restarts()).toBe(1);
    await engine.stop();
  });
});
