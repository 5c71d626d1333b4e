import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { rerollUser, type Cluster } from '../control-plane/cluster';
import { openCluster } from '../control-plane/open-cluster';
import { pollUntil } from '../control-plane/poll';
import { grantRerollAccess } from '../control-plane/reroll-access';
import { RerollProcess } from '../reroll-process';

const namespace = 'releases';
const auto = { 'reloader.stakater.com/auto': 'true' };
const releases = 5;

let cluster: Cluster;
let reroll: RerollProcess;

const kubectl = async (...args: string[]): Promise<string> => await cluster.kubectl(['-n', namespace, ...args]);

const apply = async (...objects: object[]): Promise<void> => {
  await cluster.kubectl(['apply', '-f', '-'], { stdin: objects.map((object) => stringify(object)).join('---\n') });
};

/** The objects of a release: each release changes both. */
const source = (name: string, release: number): object =>
  configMap({ name, namespace, data: { release: String(release) } });
const workload = (name: string, release: number): object => ({
  ...deployment({
    ...{ name, namespace, annotations: auto, replicas: 2, podLabels: { app: name } },
    ...{ image: `registry.example/app:${release}`, envFrom: [fromConfigMap(name)] },
  }),
});

/** Counts rollouts; ReplicaSets would not do, as only the last ones are kept. */
const revision = async (name: string): Promise<number> =>
  Number(
    await kubectl(
      ...['get', `deployment/${name}`, '-o'],
      'jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}',
    ),
  );

const told = (name: string, what: string): number =>
  reroll.lines.filter(({ message }) => message.startsWith(`Deployment ${namespace}/${name} ${what}`)).length;

async function released(name: string, release: number, objects: readonly object[]): Promise<void> {
  await apply(...objects);
  await pollUntil(`release ${release} of ${name} to be answered`, async () => {
    const answers = told(name, 'restarted') + told(name, 'not restarted: coalesced');
    return await Promise.resolve(answers === release ? true : undefined);
  });
  await kubectl('rollout', 'status', `deployment/${name}`, '--timeout=60s');
}

beforeAll(async () => {
  cluster = await openCluster({});
  await grantRerollAccess(cluster);
  await cluster.kubectl(['create', 'namespace', namespace]);
  const kubeconfig = await cluster.kubeconfigFor(rerollUser);
  const own = ['--own-namespace=reroll', '--listen=127.0.0.1:0', '--log-format=json'];
  reroll = new RerollProcess({ args: ['reconciler', '--kubeconfig', kubeconfig, ...own] });
  await reroll.line(({ message }) => message === 'started leading');
});

afterAll(async () => {
  await reroll.end();
  await cluster.stop();
});

describe('a release of a ConfigMap and the Deployment that uses it', () => {
  it.each([
    ['source-first', 'in this order is one new ReplicaSet', 1],
    ['source-last', 'in the other order is two: the first pods may have read what was before', 2],
  ])('%s: %s', async (name, _, each) => {
    await apply(source(name, 0), workload(name, 0));
    await kubectl('rollout', 'status', `deployment/${name}`, '--timeout=60s');
    await pollUntil('a baseline', async () =>
      (await kubectl('get', `deployment/${name}`, '-o', 'yaml')).includes('reroll.dev/baseline') ? true : undefined,
    );
    for (let release = 1; release <= releases; release++) {
      const objects = [source(name, release), workload(name, release)];
      await released(name, release, each === 1 ? objects : objects.toReversed());
    }
    expect(await revision(name)).toBe(1 + each * releases);
    expect(told(name, 'restarted')).toBe(each === 1 ? 0 : releases);
  });
});
