import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import { inParallel } from '../bench/population';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { RerollCluster } from '../webhook/reroll-cluster';
import { workloadWrites } from './workload-writes';

const workloads = 1_000;
/** Those that have a pod: others are never restarted before them, so pods of theirs would only cost time. */
const withPods = 30;
const takeoverMs = 60_000;
const broken = { 'control-plane.e2e/pod': 'broken-by-restart' };
/** Pods that never become ready keep their places, and this is about stages. */
const flags = [
  ...['--stage-deadline=40s', '--healthy-for=3s', '--reload-strategy=annotations'],
  ...['--max-rolling=0', '--max-rolling-per-namespace=0'],
];

let cluster: RerollCluster;
let leader: RerollProcess;
let standby: RerollProcess;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  leader = await cluster.reconciler(0, flags);
  await leader.line(({ message }) => message === 'started leading');
  standby = await cluster.reconciler(1, flags);
  others = await TestNamespace.create(cluster, 'others');
  shop = await TestNamespace.create(cluster, 'shop-of-many');
  await shop.create(secret({ name: 'db', data: { password: 'red' } }));
  const envFrom = [fromSecret('db')];
  await inParallel(workloads, async (index) => {
    const replicas = index < withPods ? 1 : 0;
    await shop.create(deployment({ name: `app-${index}`, annotations: auto, podLabels: broken, envFrom, replicas }));
  });
  await pollUntil(
    'all baselines to be recorded and all pods to be available',
    async () => {
      const all = await shop.all('Deployment');
      const recorded = all.filter(({ metadata }) => metadata.annotations?.['reroll.dev/baseline'] !== undefined);
      const available = all.filter((object) => isAvailable(object));
      return recorded.length === workloads && available.length === workloads ? true : undefined;
    },
    { ...patient, intervalMs: 1_000 },
  );
  await others.laterChangeAnswered();
});

afterAll(async () => await cluster.stop());

function isAvailable(object: object): boolean {
  const { spec, status } = object as { spec: { replicas: number }; status?: { availableReplicas?: number } };
  return (status?.availableReplicas ?? 0) === spec.replicas;
}

/** How many workloads were restarted since then, as their templates tell. */
async function restarted(): Promise<readonly string[]> {
  const all = await shop.all('Deployment');
  return all.flatMap(({ metadata: { name, annotations = {} } }) =>
    annotations['reroll.dev/last-restart'] === undefined ? [] : [name],
  );
}

it('of a thousand Deployments of one bad Secret, one becomes unhealthy, whoever leads, until somebody goes on', async () => {
  const before = (await workloadWrites(cluster, shop.name)).length;
  await shop.patch('Secret', 'db', { stringData: { password: 'wrong' } });
  const [canary = ''] = await pollUntil(
    'the first restart',
    async () => {
      const names = await restarted();
      return names.length > 0 ? names : undefined;
    },
    patient,
  );
  expect(canary).toBe('app-0');
  await leader.end('SIGKILL');
  await standby.line(({ message }) => message === 'started leading', takeoverMs);
  await shop.eventWith(`RestartsStopped db: Secret db is stopped: Deployment ${canary} is not healthy`);
  await shop.eventWith(`RestartsStopped ${canary}: Secret db is stopped`);
  await others.laterChangeAnswered();

  expect(await restarted()).toEqual([canary]);
  const writes = (await workloadWrites(cluster, shop.name)).slice(before);
  expect(new Set(writes.map(({ objectRef }) => objectRef?.name))).toEqual(new Set([canary]));
  const unhealthy = (await shop.all('Deployment')).filter((object) => !isAvailable(object) || isRolling(object));
  expect(unhealthy.map(({ metadata }) => metadata.name)).toEqual([canary]);

  const told = (await shop.stored('Deployment', canary)).metadata.annotations?.['reroll.dev/last-restart'] ?? '';
  const [, change = ''] = /"secret\/db":"([0-9a-f]{8})"/.exec(told) ?? [];
  await shop.patch('Secret', 'db', { metadata: { annotations: { 'reroll.dev/resumed': change } } });
  await pollUntil('all to be restarted', async () => ((await restarted()).length === workloads ? true : undefined), {
    ...patient,
    intervalMs: 1_000,
  });
});

/** An old pod stays until the new one is ready, so the Deployment is available meanwhile. */
function isRolling(object: object): boolean {
  const { status } = object as {
    status?: { replicas?: number; updatedReplicas?: number; unavailableReplicas?: number };
  };
  return (status?.unavailableReplicas ?? 0) > 0 || (status?.replicas ?? 0) !== (status?.updatedReplicas ?? 0);
}
