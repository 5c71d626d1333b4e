import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { WorkloadHistory } from '../../reconciler/workloads/workload-history';
import { policySettings as policy } from '../../shared/domain/plan/records.fixture';
import { shareVersions } from '../../shared/kube/client/shared-versions';
import { newestVersion } from '../../shared/kube/client/objects';
import { configMaps, secrets } from '../../shared/kube/resource';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { configMap, deployment } from '../apiserver/cluster';
import { stringAt } from '../apiserver/json';
import { locateBinaries } from '../control-plane/binaries';
import { etcdCommand, etcdUrl } from '../control-plane/commands';
import { freePorts } from '../control-plane/ports';
import { ServerGroup } from '../control-plane/server-group';
import { RerollCluster, namespace } from '../webhook/reroll-cluster';

const deployments = workloadKind('Deployment').resource;
const name = 'app';

let etcd: ServerGroup;
let cluster: RerollCluster;

beforeAll(async () => {
  etcd = new ServerGroup();
  const [etcdClient = 0, etcdPeer = 0] = await freePorts(2);
  const ports = { etcdClient, etcdPeer, apiServer: 0 };
  const { dataDir, logDir } = etcd;
  const server = await etcd.start(etcdCommand(locateBinaries().binaries, { dataDir, logDir, ports }));
  await etcd.waitFor(server, 'the etcd of ConfigMaps to be healthy', async () => {
    const { ok } = await fetch(`${etcdUrl(ports)}/health`);
    return ok ? true : undefined;
  });
  const apiServerFlags = [`--etcd-servers-overrides=/configmaps#${etcdUrl(ports)}`];
  cluster = await RerollCluster.start([], { apiServerFlags });
});

afterAll(async () => {
  await cluster.stop();
  await etcd.stopAll();
});

it('ConfigMaps in an etcd of their own: no version of theirs is taken for a moment in the life of a Deployment', async () => {
  const client = cluster.kubeClient();
  expect(await shareVersions(client, namespace, deployments, secrets)).toBe(true);
  expect(await shareVersions(client, namespace, deployments, configMaps)).toBe(false);

  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const { body: stored } = await cluster.admin.post(path, deployment({ name, namespace }));
  const version = stringAt(stored, 'metadata', 'resourceVersion') ?? '';
  // Raises the version of ConfigMaps to the Deployment's: judged by the number alone, ConfigMaps could be read at it.
  for (let each = 0; Number(await newestVersion(client, configMaps, namespace)) < Number(version); each++) {
    const other = configMap({ name: `other-${each}`, namespace });
    await cluster.admin.post(`/api/v1/namespaces/${namespace}/configmaps`, other);
  }
  const record = readWorkload(workloadKind('Deployment'), stored, defaultAnnotationKeys, policy);
  const history = new WorkloadHistory(client);
  expect(await history.at(record, version, ['Secret'])).toMatchObject({ metadata: { resourceVersion: version } });
  expect(await history.at(record, version, ['Secret', 'ConfigMap'])).toBeUndefined();
});
