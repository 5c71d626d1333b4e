import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import type { KubeObject } from '../apiserver/objects';
import { kept, rollbackRules, untilKept } from '../cluster/kept-content';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { uniqueRequests } from '../control-plane/audit';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { ownNamespace, reconcilerAccount, reconcilerUser, RerollCluster } from '../webhook/reroll-cluster';

const workloads = 6;
const takeoverMs = 60_000;
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
let leader: RerollProcess;
let standby: RerollProcess;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  await cluster.apply(...rights);
  leader = await cluster.reconciler(0, flags);
  await leader.line(({ message }) => message === 'started leading');
  standby = await cluster.reconciler(1, flags);
  others = await TestNamespace.create(cluster, 'others');
  shop = await TestNamespace.create(cluster, 'shop-that-rolls-back');
  const annotations = { 'reroll.dev/on-failure': 'rollback', 'reroll.dev/stages': 'on' };
  await shop.create(secret({ name: 'db', annotations, data: { password: 'red', user: 'app' } }));
  for (let index = 0; index < workloads; index++) {
    const pod = { annotations: auto, podLabels: broken, envFrom: [fromSecret('db')] };
    await shop.create(deployment({ name: `app-${index}`, ...pod, replicas: 1 }));
  }
});

afterAll(async () => await cluster.stop());

function valueOf(object: KubeObject | undefined, key: string): string {
  const { data = {} } = (object ?? {}) as { readonly data?: Readonly<Record<string, string>> };
  return Buffer.from(data[key] ?? '', 'base64').toString();
}

/** The workloads that Reroll has restarted. */
async function restarted(): Promise<readonly string[]> {
  return (await shop.all('Deployment')).flatMap(({ metadata: { name: workload, annotations = {} } }) =>
    annotations['reroll.dev/last-restart'] === undefined ? [] : [workload],
  );
}

/** How often the reconcilers have written the source. */
async function putBacks(): Promise<number> {
  const entries = uniqueRequests(await cluster.plane.auditEntries({ user: reconcilerUser }));
  return entries.filter(
    ({ verb, objectRef, responseStatus }) =>
      verb === 'patch' && objectRef?.resource === 'secrets' && objectRef.name === 'db' && responseStatus?.code === 200,
  ).length;
}

it('a content that all are healthy with is kept, and put back once, whoever leads and whoever writes the bad one again', async () => {
  const good = await untilKept(shop, 'Secret', 'good');
  expect(valueOf(good, 'password')).toBe('red');

  await shop.patch('Secret', 'db', { stringData: { password: 'wrong' }, data: { user: null } });
  const [canary = ''] = await pollUntil(
    'the first restart',
    async () => {
      const names = await restarted();
      return names.length > 0 ? names : undefined;
    },
    patient,
  );
  await leader.end('SIGKILL');
  await standby.line(({ message }) => message === 'started leading', takeoverMs);
  await shop.eventWith(`RolledBack db: Secret db is stopped: Deployment ${canary} is not healthy`);
  const back = await shop.stored('Secret', 'db');
  expect([valueOf(back, 'password'), valueOf(back, 'user')]).toEqual(['red', 'app']);
  expect(back.metadata.annotations).toMatchObject({ 'reroll.dev/rolled-back': expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(valueOf(await kept(shop, 'Secret', 'bad'), 'password')).toBe('wrong');

  for (let time = 0; time < 3; time++) {
    await shop.patch('Secret', 'db', { stringData: { password: 'wrong' }, data: { user: null } });
    await others.laterChangeAnswered();
  }
  await shop.eventWith('RestartsStopped db: Secret db is stopped: its content was rolled back before');
  expect(await restarted()).toEqual([canary]);
  expect(await putBacks()).toBe(1);
  expect(valueOf(await shop.stored('Secret', 'db'), 'password')).toBe('wrong');

  await shop.delete('Secret', 'db');
  await pollUntil(
    'the kept contents to be gone',
    async () => (((await kept(shop, 'Secret', 'good')) ?? (await kept(shop, 'Secret', 'bad'))) ? undefined : true),
    patient,
  );
});
