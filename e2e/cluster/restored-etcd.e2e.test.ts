import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configMap } from '../apiserver/cluster';
import { RerollCluster } from '../webhook/reroll-cluster';
import { TestNamespace } from './test-namespace';

let cluster: RerollCluster;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  shop = await TestNamespace.create(cluster, 'shop-of-then');
});

afterAll(async () => await cluster.stop());

async function version(): Promise<number> {
  return Number((await shop.stored('ConfigMap', 'app')).metadata.resourceVersion);
}

it('etcd that is restored from a backup: what changes afterwards restarts once, and what was taken back does not', async () => {
  await shop.createApp('app');
  await shop.createApp('other');
  await cluster.reconciler();
  const baseline = await shop.adopted('StatefulSet', 'app');
  await shop.adopted('StatefulSet', 'other');
  const backup = await cluster.plane.backUpEtcd();
  const then = await version();

  await shop.paint('app', 'blue');
  await shop.restarted('app', 1);
  // As in a busy cluster, it takes long until etcd again reaches the version from which the watches resume.
  for (let each = 0; each < 400; each++) await shop.create(configMap({ name: `later-${String(each)}` }));
  await cluster.plane.restoreEtcd(backup);
  expect(await version()).toBe(then);
  expect(await shop.adopted('StatefulSet', 'app')).toBe(baseline);

  await shop.paint('other', 'green');
  await shop.restarted('other', 1);
  expect(await shop.restarts('app')).toBe(0);
  await shop.paint('app', 'green');
  await shop.restarted('app', 1);
  await shop.laterChangeAnswered();
  expect([await shop.restarts('app'), await shop.restarts('other')]).toEqual([1, 1]);
});
