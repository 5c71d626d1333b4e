import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, cronJob, fromConfigMap, job } from '../apiserver/cluster';
import { numberAt } from '../apiserver/json';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { ownNamespace, RerollCluster } from '../webhook/reroll-cluster';
import { GatedApp, type Bearer } from './gated-app';

const hold = 'reroll.dev/hold';
const installHold = configMap({ name: 'reroll-hold', namespace: ownNamespace });
const byInstallHold = `(ConfigMap ${ownNamespace}/reroll-hold)`;

/** A Lease ends after 15 s. */
const takeoverMs = 60_000;

const places: readonly (readonly [Bearer, string])[] = [
  ['workload', '(reroll.dev/hold on the workload: release freeze)'],
  ['source', '(reroll.dev/hold on ConfigMap web: release freeze)'],
  ['namespace', '(reroll.dev/hold on namespace held-namespace: release freeze)'],
];

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let leader: RerollProcess;
let standby: RerollProcess;
const held = new Map<Bearer, GatedApp>();
/** Says itself that nothing holds it. */
let free: GatedApp;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  leader = await cluster.reconciler(0);
  await leader.line(({ message }) => message === 'started leading');
  standby = await cluster.reconciler(1);
  others = await TestNamespace.create(cluster, 'others');
  for (const [bearer] of places) held.set(bearer, await GatedApp.create(cluster, `held-${bearer}`));
  free = await GatedApp.create(cluster, 'free', { [hold]: 'false' });
});

afterAll(async () => await cluster.stop());

async function restarts(): Promise<readonly number[]> {
  return await Promise.all([...held.values(), free].map(async (app) => await app.restarts()));
}

/** Resolves once the leader has logged that the app waits. */
async function told({ workload }: GatedApp, by: string): Promise<void> {
  await leader.line(({ message }) => message === `${workload} not restarted yet: deferred ${by}`);
}

async function hasReadyPods(place: TestNamespace, app: string, pods: number): Promise<void> {
  await pollUntil(
    `${String(pods)} ready pods of ${app}`,
    async () =>
      numberAt(await place.stored('StatefulSet', app), 'status', 'readyReplicas') === pods ? true : undefined,
    patient,
  );
}

describe('a hold', () => {
  it.each(places)('on the %s keeps a restart from beginning', async (bearer, by) => {
    const app = held.get(bearer)!;
    await app.annotate(bearer, { [hold]: 'because=release freeze' });
    await app.paint('blue');
    await app.deferred(by);
    await others.laterChangeAnswered();
    expect(await app.restarts()).toBe(0);
  });

  it('of everything is a ConfigMap, which no annotation overrides', async () => {
    await cluster.apply(installHold);
    await free.paint('blue');
    await free.deferred(byInstallHold);
    expect(await restarts()).toEqual([0, 0, 0, 0]);
  });

  it('is known to the next leader after this one is killed', async () => {
    await leader.end('SIGKILL');
    leader = standby;
    await leader.line(({ message }) => message === 'started leading', takeoverMs);
    for (const app of [...held.values(), free]) await told(app, byInstallHold);
    expect(await restarts()).toEqual([0, 0, 0, 0]);
  });

  it('is known to a process before it restarts anything', async () => {
    await leader.end();
    leader = await cluster.reconciler(0);
    for (const app of [...held.values(), free]) await told(app, byInstallHold);
    expect(await restarts()).toEqual([0, 0, 0, 0]);
  });

  it('of everything ends with the ConfigMap, and what is held elsewhere stays held', async () => {
    await cluster.plane.kubectl(['-n', ownNamespace, 'delete', 'configmap', 'reroll-hold']);
    await free.restarted(1);
    for (const [bearer, by] of places) await told(held.get(bearer)!, by);
    await others.laterChangeAnswered();
    expect(await restarts()).toEqual([0, 0, 0, 1]);
  });

  it.each(places)('on the %s ends, and the restart comes once', async (bearer) => {
    const app = held.get(bearer)!;
    await app.annotate(bearer, { [hold]: null });
    await app.restarted(1);
    await others.laterChangeAnswered();
    expect(await app.restarts()).toBe(1);
  });
});

describe('a hold on a namespace', () => {
  it('is over for a change back, except where a pod has started meanwhile', async () => {
    const shop = await TestNamespace.create(cluster, 'shop-of-pods');
    const apps = ['calm', 'scaled'];
    for (const app of apps) {
      await shop.createApp(app);
      await shop.adopted('StatefulSet', app);
      await hasReadyPods(shop, app, 1);
    }
    await shop.patch('Namespace', shop.name, { metadata: { annotations: { [hold]: 'true' } } });
    for (const app of apps) {
      await shop.paint(app, 'blue');
      await shop.eventWith(`ReloadDeferred ${app}: `);
    }
    await shop.patch('StatefulSet', 'scaled', { spec: { replicas: 2 } });
    await hasReadyPods(shop, 'scaled', 2);
    for (const app of apps) await shop.paint(app, 'red');
    await others.laterChangeAnswered();
    await shop.patch('Namespace', shop.name, { metadata: { annotations: { [hold]: null } } });
    // The first one is that it was scaled.
    await shop.restarted('scaled', 2);
    await others.laterChangeAnswered();
    expect(await Promise.all(apps.map(async (app) => await shop.restarts(app)))).toEqual([0, 2]);
    expect(await shop.eventWith('Reloaded scaled: ')).toContain(
      'it was changed back, and pods that started in between',
    );
  });

  let shop: TestNamespace;

  const jobUid = async (): Promise<string> => (await shop.stored('Job', 'migrate')).metadata.uid;
  const annotate = async (value: string | null): Promise<void> =>
    await shop.patch('Namespace', shop.name, { metadata: { annotations: { [hold]: value } } });

  beforeAll(async () => {
    shop = await TestNamespace.create(cluster, 'shop-of-jobs');
    const options = { annotations: auto, envFrom: [fromConfigMap('app')] };
    await shop.create(configMap({ name: 'app', data: { color: 'red' } }));
    await shop.create(job({ name: 'migrate', ...options }));
    await shop.create(cronJob({ name: 'report', ...options }));
    await shop.adopted('Job', 'migrate');
    await shop.adopted('CronJob', 'report');
  });

  it('keeps Jobs and CronJobs too, and each runs once when it ends', async () => {
    const before = await jobUid();
    await annotate('true');
    await shop.paint('app', 'blue');
    for (const name of ['migrate', 'report']) await shop.eventWith(`ReloadDeferred ${name}: `);
    await others.laterChangeAnswered();
    expect(await jobUid()).toBe(before);
    expect(await shop.all('Job')).toHaveLength(1);

    await annotate(null);
    await pollUntil(
      'the Job to be recreated, and the CronJob to be run',
      async () => ((await jobUid()) !== before && (await shop.all('Job')).length > 1 ? true : undefined),
      patient,
    );
    const after = await jobUid();
    await others.laterChangeAnswered();
    expect(await jobUid()).toBe(after);
    expect(await shop.all('Job')).toHaveLength(2);
  });
});
