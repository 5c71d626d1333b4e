import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from '../webhook/admission-counts';
import { App } from '../webhook/app';
import { expectOneRestart } from '../webhook/expect-restart';
import { leaderOf } from '../webhook/leader';
import { untilCalled } from '../webhook/probe';
import { ownNamespace } from '../webhook/reroll-cluster';
import { WriteLoad } from '../webhook/write-load';
import { ChartCluster, deployments, type Room } from './chart-cluster';
import { chartVersion, ofVersion } from './hosted-chart';

/** A write that waits for a missing webhook takes longer than this: the 2 s timeout of the call and its own time. */
const maxWriteMs = 2_000;

const rooms = Object.keys(deployments) as readonly Room[];

let cluster: ChartCluster;
let alice: ContractClient;
const running = new Map<Room, RerollProcess>();
let replica = 0;

beforeAll(async () => {
  cluster = await ChartCluster.start();
  alice = await cluster.editor('alice');
});

afterAll(async () => await cluster.stop());

/** Like a rollout: a new process is ready before the old one is told to stop. */
async function roll(...changed: readonly Room[]): Promise<void> {
  replica++;
  for (const room of changed) {
    const flags = room === 'webhook' ? [cluster.reconcilerAddresses] : [];
    const next = await cluster.start(room, { replica: replica % 2, flags });
    expect(await running.get(room)?.end('SIGTERM')).toEqual(running.has(room) ? { code: 0, signal: null } : undefined);
    running.set(room, next);
  }
}

/** The value of the `helm.sh/chart` label on the objects of the release. */
async function installedVersion(): Promise<string> {
  const args = ['get', 'deployment', deployments.reconciler, '--namespace', ownNamespace];
  return await cluster.plane.kubectl([...args, '-o', 'jsonpath={.metadata.labels.helm\\.sh/chart}']);
}

async function restartsByName(app: string): Promise<void> {
  const reconciler = await leaderOf([running.get('reconciler')!]);
  await expectOneRestart(await App.create(cluster, app), { alice, reconciler, path: 'both' });
}

it('the webhook comes with an upgrade, and no write notices', async () => {
  await cluster.release({ webhook: { enabled: false } }, ofVersion('0.0.8'));
  await roll('reconciler');
  const load = await WriteLoad.start(alice);
  await cluster.release({ commonLabels: { team: 'platform' } }, ofVersion('0.0.9'));
  await roll('certs', 'webhook', 'reconciler');
  await untilCalled(cluster, running.get('webhook')!, ['mutating', 'validating']);
  const { failures, slowestMs } = await load.stop();
  expect(failures).toEqual([]);
  expect(slowestMs).toBeLessThan(maxWriteMs);
  await restartsByName('first');
});

it('the version before is upgraded under load: no write fails, and no call of the webhook', async () => {
  expect(await installedVersion()).toBe('reroll-0.0.9');
  const failedBefore = await admissionFailures(cluster);
  const load = await WriteLoad.start(alice);
  await cluster.release();
  expect(await installedVersion()).toBe(`reroll-${chartVersion()}`);
  await roll('certs', 'webhook', 'reconciler');
  await restartsByName('second');
  const { failures, perSecond } = await load.stop();
  expect(failures).toEqual([]);
  expect(perSecond).toBeGreaterThan(20);
  const failed = await admissionFailures(cluster);
  const since = Object.entries(failed).map(([what, count]) => [
    what,
    count - failedBefore[what as keyof typeof failed],
  ]);
  expect(Object.fromEntries(since)).toEqual(noFailures);
});

/** Ends each process when its Deployment is gone, as a kubelet would. */
async function endWithDeployments(): Promise<void> {
  const end = async (room: Room): Promise<void> => {
    const path = `/apis/apps/v1/namespaces/${ownNamespace}/deployments/${deployments[room]}`;
    await pollUntil(`the Deployment of the ${room} to go`, async () =>
      (await cluster.admin.get(path)).status === 404 ? true : undefined,
    );
    if (room === 'webhook') cluster.service.endpoint = undefined;
    await running.get(room)!.end();
  };
  await Promise.all(rooms.map(end));
}

it('an uninstall leaves nothing behind that a write has to wait for', async () => {
  const load = await WriteLoad.start(alice);
  await Promise.all([cluster.uninstall(), endWithDeployments()]);
  const { failures, slowestMs } = await load.stop();
  expect(failures).toEqual([]);
  expect(slowestMs).toBeLessThan(maxWriteMs);

  const kubectl = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await cluster.plane.kubectl(args)).split('\n').filter((line) => line !== '');
  const kindsOf = async (scope: string): Promise<string> =>
    (await kubectl('api-resources', '--verbs=list', `--namespaced=${scope}`, '-o', 'name')).join();
  const everywhere = await kubectl('get', await kindsOf('false'), '-o', 'name');
  expect(everywhere.filter((name) => name.includes('reroll'))).toEqual([`namespace/${ownNamespace}`]);

  const alwaysThere = ['configmap/kube-root-ca.crt', 'serviceaccount/default'];
  const left = await pollUntil('the pods to go', async () => {
    const names = await kubectl('get', await kindsOf('true'), '--namespace', ownNamespace, '-o', 'name');
    return names.some((name) => name.startsWith('pod/') || name.startsWith('replicaset.')) ? undefined : names;
  });
  const kept = left.filter((name) => !name.startsWith('event') && !alwaysThere.includes(name));
  // The next install needs one key to compare the digests recorded on workloads, and the other to read a journal. It goes
  // on with the history.
  expect(kept.toSorted()).toEqual([
    'configmap/reroll-history-0',
    'lease.coordination.k8s.io/reroll',
    'secret/reroll-digest-key',
    'secret/reroll-journal-key',
  ]);
});

it('the next install goes on with what was kept', async () => {
  running.clear();
  await cluster.release();
  await roll('certs', 'webhook', 'reconciler');
  await untilCalled(cluster, running.get('webhook')!, ['mutating', 'validating']);
  await restartsByName('third');
});
