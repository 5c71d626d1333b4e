import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rerollUser, type Cluster } from '../control-plane/cluster';
import { openCluster } from '../control-plane/open-cluster';
import { grantRerollAccess } from '../control-plane/reroll-access';
import { RerollProcess } from '../reroll-process';

let cluster: Cluster;
let reroll: RerollProcess;

beforeAll(async () => {
  cluster = await openCluster({});
  await grantRerollAccess(cluster);
  // Without its RoleBindings Reroll has no rights in its own namespace, neither to keys nor to the Lease.
  await cluster.kubectl(['-n', 'reroll', 'delete', 'rolebinding', '--all']);
  const kubeconfig = await cluster.kubeconfigFor(rerollUser);
  const place = ['--kubeconfig', kubeconfig, '--own-namespace', 'reroll', '--listen', '127.0.0.1:0'];
  reroll = new RerollProcess({ args: ['reconciler', ...place, '--log-format', 'json'] });
});

afterAll(async () => {
  await reroll.end();
  await cluster.stop();
});

describe('rights that are missing', () => {
  it('are known at once, as the API server tells', async () => {
    const missing = ['missing permission for the digest key', 'missing permission for the Lease'];
    for (const right of missing) await reroll.line(({ message }) => message.startsWith(right), 10_000);
    expect(reroll.lines.filter(({ message }) => message.includes('trying again'))).toHaveLength(1);
  });
});
