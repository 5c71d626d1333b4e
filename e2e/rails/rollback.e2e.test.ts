import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import type { KubeObject } from '../apiserver/objects';
import { kept, rollbackRules, untilKept } from '../cluster/kept-content';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { uniqueRequests } from '../control-plane/audit';
import { pollUntil } from '../control-plane/poll';
import { FaultyServer, type Fits } from '../webhook/faulty-server';
import { ownNamespace, reconcilerAccount, reconcilerUser, RerollCluster } from '../webhook/reroll-cluster';
import { LeaderPair } from './leader-pair';

const workloads = 6;
const broken = { 'control-plane.e2e/pod': 'broken-by-restart' };
const flags = ['--rollback', '--stage-deadline=20s', '--healthy-for=3s', '--reload-strategy=annotations'];

const name = 'reroll-rollback';
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name } };
const rights = [
  {
    ...{ ...rbac, kind: 'ClusterRole' },
    rules: rollbackRules,
  },
  {
    ...{ ...rbac, kind: 'ClusterRoleBinding' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: reconcilerAccount, namespace: ownNamespace }],
  },
];

let cluster: RerollCluster;
let leaders: LeaderPair;
/** Between the reconcilers and the API server. */
let between: FaultyServer;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  await cluster.apply(...rights);
  const { apiServerUrl: server, caPem } = cluster.plane;
  between = await FaultyServer.start({ server, caPem, identity: await cluster.identityOf(reconcilerAccount) });
  leaders = await LeaderPair.start(cluster, flags, between);
  others = await TestNamespace.create(cluster, 'others');
});

afterAll(async () => {
  await cluster.stop();
  between.close();
});

/** Resolves once the content with which all users are healthy is kept. */
async function shopWith(shopName: string): Promise<TestNamespace> {
  const shop = await TestNamespace.create(cluster, shopName);
  const annotations = { 'reroll.dev/on-failure': 'rollback', 'reroll.dev/stages': 'on' };
  await shop.create(secret({ name: 'db', annotations, data: { password: 'red', user: 'app' } }));
  for (let index = 0; index < workloads; index++) {
    const pod = { annotations: auto, podLabels: broken, envFrom: [fromSecret('db')] };
    await shop.create(deployment({ name: `app-${index}`, ...pod, replicas: 1 }));
  }
  expect(valueOf(await untilKept(shop, 'Secret', 'good'), 'password')).toBe('red');
  return shop;
}

async function writeWrong(shop: TestNamespace): Promise<void> {
  await shop.patch('Secret', 'db', { stringData: { password: 'wrong' }, data: { user: null } });
}

function valueOf(object: KubeObject | undefined, key: string): string {
  const { data = {} } = (object ?? {}) as { readonly data?: Readonly<Record<string, string>> };
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

/** The workloads that Reroll has restarted. */
async function restarted(shop: TestNamespace): Promise<readonly string[]> {
  return (await shop.all('Deployment')).flatMap(({ metadata: { name: workload, annotations = {} } }) =>
    annotations['reroll.dev/last-restart'] === undefined ? [] : [workload],
  );
}

async function untilRestarted(shop: TestNamespace): Promise<string> {
  return await pollUntil('the first restart', async () => (await restarted(shop))[0], patient);
}

/** How often the reconcilers have written the source. */
async function putBacks(shop: TestNamespace): Promise<number> {
  const entries = uniqueRequests(await cluster.plane.auditEntries({ user: reconcilerUser }));
  return entries.filter(
    ({ verb, objectRef, responseStatus }) =>
      verb === 'patch' &&
      objectRef?.resource === 'secrets' &&
      objectRef.namespace === shop.name &&
      objectRef.name === 'db' &&
      responseStatus?.code === 200,
  ).length;
}

it('a content that all are healthy with is kept, and put back once, whoever leads and whoever writes the bad one again', async () => {
  const shop = await shopWith('shop-that-rolls-back');
  await writeWrong(shop);
  const canary = await untilRestarted(shop);
  await leaders.kill();
  await leaders.takenOver();
  const told = await shop.eventWith('RolledBack db: Reroll put the content of change ');
  expect(told).toContain(`because Deployment ${canary} was not healthy after change `);
  const back = await shop.stored('Secret', 'db');
  expect([valueOf(back, 'password'), valueOf(back, 'user')]).toEqual(['red', 'app']);
  expect(back.metadata.annotations).toMatchObject({ 'reroll.dev/rolled-back': expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(valueOf(await kept(shop, 'Secret', 'bad'), 'password')).toBe('wrong');

  for (let time = 0; time < 3; time++) {
    await writeWrong(shop);
    await others.laterChangeAnswered();
  }
  await shop.eventWith('RestartsStopped db: restarts for Secret db are stopped: its content was rolled back before');
  expect(await restarted(shop)).toEqual([canary]);
  expect(await putBacks(shop)).toBe(1);
  expect(valueOf(await shop.stored('Secret', 'db'), 'password')).toBe('wrong');

  await shop.delete('Secret', 'db');
  await pollUntil(
    'the kept contents to be gone',
    async () => (((await kept(shop, 'Secret', 'good')) ?? (await kept(shop, 'Secret', 'bad'))) ? undefined : true),
    patient,
  );
});

/** The bad content is kept as a draft first, and counts once it has a MAC. */
const steps: readonly (readonly [step: string, shop: string, fits: (namespace: string) => Fits])[] = [
  ['the bad content is kept as a draft', 'killed-at-the-draft', writes('POST', /\/secrets$/)],
  ['the bad content is kept', 'killed-before-the-patch', writes('PATCH', /\/secrets\/db\.reroll-bad-[^/]+$/)],
  ['the kept content is put back', 'killed-after-the-patch', writes('PATCH', /\/secrets\/db$/)],
];

function writes(wanted: string, path: RegExp): (namespace: string) => Fits {
  return (namespace) =>
    ({ method, url: { pathname } }) =>
      method === wanted && pathname.startsWith(`/api/v1/namespaces/${namespace}/`) && path.test(pathname);
}

it.each(steps)('a leader is killed when %s, and the content is put back once all the same', async (...row) => {
  const [, shopName, fits] = row;
  const shop = await shopWith(shopName);
  // The API server has carried out the write, and the leader does not live to know it.
  const killed = between.loseNextAnswer(fits(shopName), async () => await leaders.kill());
  await writeWrong(shop);
  const canary = await untilRestarted(shop);
  await killed;
  await leaders.takenOver();
  const isBack = async (): Promise<true | undefined> =>
    valueOf(await shop.stored('Secret', 'db'), 'password') === 'red' ? true : undefined;
  await pollUntil('the content to be back', isBack, patient);
  await others.laterChangeAnswered();
  expect([await restarted(shop), await putBacks(shop)]).toEqual([[canary], 1]);
  expect(valueOf(await kept(shop, 'Secret', 'bad'), 'password')).toBe('wrong');

  await writeWrong(shop);
  await shop.eventWith('RestartsStopped db: restarts for Secret db are stopped: its content was rolled back before');
  expect([await restarted(shop), await putBacks(shop)]).toEqual([[canary], 1]);
});
