import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import { inParallel } from '../bench/population';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { RerollCluster } from '../webhook/reroll-cluster';
import { workloadWrites } from './workload-writes';

const workloads = 1_000;

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;
let reroll: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  // Without limits and stages: this is about the end of the hold.
  reroll = await cluster.reconciler(0, ['--max-rolling=0', '--max-rolling-per-namespace=0', '--stages-from=0']);
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

/** Resolves once the log has such a line for each workload. */
async function told(what: RegExp): Promise<void> {
  await pollUntil(
    `${workloads} lines that match ${String(what)}`,
    async () => {
      const lines = reroll.lines.filter(
        ({ message }) => message.startsWith(`Deployment ${shop.name}/`) && what.test(message),
      );
      return await Promise.resolve(lines.length >= workloads ? true : undefined);
    },
    patient,
  );
}

/** How often each Deployment was written since then. A write that was refused, because a controller was faster, is repeated. */
async function storedWrites(writesBefore: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { objectRef, responseStatus } of (await workloadWrites(cluster, shop.name)).slice(writesBefore)) {
    const name = objectRef?.name ?? '';
    if (responseStatus?.code === 200) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

async function hold(value: string | null): Promise<void> {
  await shop.patch('Secret', 'db', { metadata: { annotations: { 'reroll.dev/hold': value } } });
}

it('a thousand restarts that one Secret owes are held without a write, and come once each when the hold ends', async () => {
  const before = (await workloadWrites(cluster, shop.name)).length;
  await hold('true');
  await shop.patch('Secret', 'db', { stringData: { password: 'blue' } });
  await told(/ not restarted yet: deferred by reroll\.dev\/hold on Secret db$/);
  await others.laterChangeAnswered();
  expect((await workloadWrites(cluster, shop.name)).length).toBe(before);

  await hold(null);
  await told(/^Deployment \S+ restarted$/);
  await others.laterChangeAnswered();
  const writes = await storedWrites(before);
  expect(writes.size).toBe(workloads);
  expect(new Set(writes.values())).toEqual(new Set([1]));
});
