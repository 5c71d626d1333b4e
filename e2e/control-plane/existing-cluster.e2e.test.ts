import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiRequest } from './api-request';
import type { Cluster, ControlPlane } from './cluster';
import { connectExistingCluster } from './existing-cluster';
import { grantRerollAccess } from './reroll-access';
import { startControlPlane } from './start';

/** Acts as the existing cluster. */
let plane: ControlPlane;
let cluster: Cluster;

const owned = 'clusterroles,clusterrolebindings,roles,rolebindings,namespaces';
const ownedObjects = async (): Promise<string> =>
  await plane.kubectl(['get', owned, '-A', '-l', 'app.kubernetes.io/managed-by=reroll-e2e', '-o', 'name']);

beforeAll(async () => {
  plane = await startControlPlane();
  cluster = await connectExistingCluster({ REROLL_E2E_EXISTING_CLUSTER: plane.adminKubeconfigPath });
});

afterAll(async () => {
  await plane.stop();
});

it('has the address of the current context', () => {
  expect(cluster.apiServerUrl).toBe(plane.apiServerUrl);
  expect(cluster.caPem).toBe(plane.caPem);
});

it('gets users signed by the cluster, and grants reroll its rights', async () => {
  await plane.kubectl(['create', 'namespace', 'theirs']);
  await grantRerollAccess(cluster);
  await grantRerollAccess(cluster, { namespace: 'theirs' });
  const endpoint = { url: cluster.apiServerUrl, caPem: cluster.caPem, identity: await cluster.identityFor('reroll') };
  const statusOf = async (pathname: string): Promise<number> => (await apiRequest(endpoint, 'GET', pathname)).status;
  await expect(statusOf('/api/v1/secrets')).resolves.toBe(200);
  await expect(statusOf('/api/v1/nodes')).resolves.toBe(403);

  const kubeconfig = await cluster.kubeconfigFor('jane', ['dev']);
  const whoami = await cluster.kubectl(['--kubeconfig', kubeconfig, 'auth', 'whoami', '-o', 'json']);
  expect(JSON.parse(whoami).status.userInfo).toMatchObject({
    username: 'jane',
    groups: ['dev', 'system:authenticated'],
  });
  await expect(cluster.kubectl(['get', 'csr', '-o', 'name'])).resolves.toBe('');
});

it('has no audit log', async () => {
  await expect(cluster.auditEntries()).resolves.toBeUndefined();
});

it('removes what it created, and nothing else', async () => {
  await expect(ownedObjects()).resolves.toContain('namespace/reroll');
  await Promise.all([cluster.stop(), cluster.stop()]);
  await expect(ownedObjects()).resolves.toBe('');
  await expect(plane.kubectl(['get', 'namespace', 'theirs', '-o', 'name'])).resolves.toBe('namespace/theirs\n');
  expect(existsSync(plane.adminKubeconfigPath)).toBe(true);
});
