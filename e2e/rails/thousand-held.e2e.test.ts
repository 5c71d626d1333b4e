import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import { inParallel } from '../bench/population';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import { RerollCluster } from '../webhook/reroll-cluster';
import { generationsOf, writesSince, type Generations } from './generations';
import { LeaderPair } from './leader-pair';
import { workloadWrites } from './workload-writes';

const workloads = 1_000;

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;
let leaders: LeaderPair;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  // Without limits and stages: this is about the end of the hold.
  const flags = ['--max-rolling=0', '--max-rolling-per-namespace=0', '--stages-from=0'];
  leaders = await LeaderPair.start(cluster, flags);
  others = await TestNamespace.create(cluster, 'others');
  shop = await TestNamespace.create(cluster, 'shop-of-many');
  await shop.create(secret({ name: 'db', data: { password: 'red' } }));
  await inParallel(workloads, async (index) => {
    await shop.create(
      deployment({ name: `app-${index}`, annotations: auto, envFrom: [fromSecret('db')], replicas: 0 }),
    );
  });
  await told(/: baseline recorded/);
  await others.laterChangeAnswered();
});

afterAll(async () => await cluster.stop());

/** Resolves once the log of the leader has such a line for each workload. */
async function told(what: RegExp): Promise<void> {
  await pollUntil(
    `${workloads} lines that match ${String(what)}`,
    async () => {
      const lines = leaders.leader.lines.filter(
        ({ message }) => message.startsWith(`Deployment ${shop.name}/`) && what.test(message),
      );
      return await Promise.resolve(lines.length >= workloads ? true : undefined);
    },
    patient,
  );
}

/** Resolves once so many Deployments have been written since then. */
async function restartedSince(before: Generations, count: number): Promise<void> {
  const isReached = async (): Promise<true | undefined> =>
    (await writesSince(shop, before)).size >= count ? true : undefined;
  await pollUntil(`${count} Deployments to be restarted`, isReached, { ...patient, intervalMs: 200 });
}

async function hold(value: string | null): Promise<void> {
  await shop.patch('Secret', 'db', { metadata: { annotations: { 'reroll.dev/hold': value } } });
}

it('a thousand restarts that one Secret owes are held without a write, and come once each when the hold ends, whoever leads', async () => {
  const before = (await workloadWrites(cluster, shop.name)).length;
  await hold('true');
  await shop.patch('Secret', 'db', { stringData: { password: 'blue' } });
  const deferred = / not restarted yet: deferred \(reroll\.dev\/hold on Secret db\)$/;
  await told(deferred);
  await leaders.kill();
  await leaders.takenOver();
  await told(deferred);
  await others.laterChangeAnswered();
  expect((await workloadWrites(cluster, shop.name)).length).toBe(before);

  const held = await generationsOf(shop);
  await hold(null);
  await restartedSince(held, 1);
  await leaders.kill();
  expect((await writesSince(shop, held)).size).toBeLessThan(workloads);
  await leaders.takenOver();
  await restartedSince(held, workloads);
  await others.laterChangeAnswered();
  expect(new Set((await writesSince(shop, held)).values())).toEqual(new Set([1]));
});
