import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { App } from './app';
import { changesByPath, restartLine } from './expect-restart';
import { leaderOf } from './leader';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

/** Leaves time between a change record and the PATCH that answers it. */
const settleMs = 6_000;

let cluster: RerollCluster;
let alice: ContractClient;
let replicas: readonly RerollProcess[];

beforeAll(async () => {
  cluster = await RerollCluster.start();
  alice = await cluster.editor('alice');
  const started = [0, 1, 2].map(async (replica) => await cluster.reconciler(replica, [`--settle=${settleMs}ms`]));
  replicas = await Promise.all(started);
  await cluster.webhook({ reconcilers: 3 });
});

afterAll(async () => await cluster.stop());

/** For each replica, the number of changes that the webhook announced and stored state confirmed. */
async function confirmedHints(): Promise<readonly number[]> {
  const metrics = await Promise.all(replicas.map(metricsOf));
  return metrics.map((replica) => replica.sum('reroll_hints_total', { result: 'confirmed' }));
}

it('the leader is killed when it has heard of a change and before it acts: one restart, by another, its author known', async () => {
  const app = await App.create(cluster, 'web');
  const leader = await leaderOf(replicas);
  const others = replicas.filter((replica) => replica !== leader);
  const before = await confirmedHints();
  await app.restartsOnce(async () => {
    expect((await app.paint(alice, 'blue')).status).toBe(200);
    await pollUntil('every replica to know who made the change', async () => {
      const now = await confirmedHints();
      return now.every((confirmed, replica) => confirmed === before[replica]! + 1) ? true : undefined;
    });
    await leader.end('SIGKILL');
  }, settleMs);
  const restarted = leader.lines.filter(({ message }) => message === `Deployment ${namespace}/web restarted`);
  expect(restarted).toEqual([]);

  const because = 'ConfigMap web: content changed (keys: color) by alice (kubectl-edit)';
  expect(await app.event()).toContain(because);
  const next = await leaderOf(others);
  expect(await restartLine(next, app)).toMatchObject({ because: [because], users: ['alice'] });
  expect(await changesByPath(next)).toEqual({ webhook: 0, watch: 0, both: 1 });
});
