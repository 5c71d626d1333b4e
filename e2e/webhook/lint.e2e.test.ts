import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { JsonObject } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { kubectlWarnings } from './kubectl-warnings';
import { untilCalled } from './probe';
import { namespace, RerollCluster } from './reroll-cluster';

const auto = { 'reloader.stakater.com/auto': 'true' };
const mistyped = { 'reloader.stakater.com/atuo': 'true' };
const operator = 'system:serviceaccount:ops:operator';

let cluster: RerollCluster;
let reconciler: RerollProcess;
let webhook: RerollProcess;
/** The kubeconfig files of alice and of an operator. */
let kubeconfigs: Readonly<Record<'alice' | 'operator', string>>;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  await Promise.all([cluster.editor('alice'), cluster.editor(operator)]);
  kubeconfigs = {
    alice: await cluster.plane.kubeconfigFor('alice'),
    operator: await cluster.plane.kubeconfigFor(operator),
  };
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  await untilCalled(cluster, webhook);
});

afterAll(async () => await cluster.stop());

/** The warnings that kubectl prints, for alice or for the operator. */
async function apply(
  objects: readonly object[],
  flags: readonly string[] = [],
  by: keyof typeof kubeconfigs = 'alice',
) {
  return await kubectlWarnings(cluster, ['--kubeconfig', kubeconfigs[by], 'apply', '-f', '-', ...flags], objects);
}

/** A Deployment that uses the ConfigMap `app`. */
function web(name: string, annotations: Readonly<Record<string, string>>) {
  return deployment({ name, namespace, annotations, envFrom: [fromConfigMap('app')], replicas: 0 });
}

function notKnown(name: string): string {
  return `Deployment shop/${name}: annotation reloader.stakater.com/atuo is not known and has no effect; did you mean reloader.stakater.com/auto?`;
}

function replicaSet(name: string): JsonObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
  const metadata = { name, namespace, annotations: auto };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

async function callsFor(resource: string): Promise<number> {
  const metrics = await cluster.apiServerMetrics();
  return metrics.sum('apiserver_admission_webhook_request_total', { name: `${resource}.webhook.reroll.dev` });
}

describe('kubectl apply', () => {
  it('tells of an annotation that is not known, with the one that was meant, and stores it all the same', async () => {
    expect(await apply([web('mistyped', mistyped)])).toEqual([notKnown('mistyped')]);
    const { status } = await cluster.admin.get(`/apis/apps/v1/namespaces/${namespace}/deployments/mistyped`);
    expect(status).toBe(200);
  });

  it('with --dry-run=server tells the same, and stores nothing', async () => {
    expect(await apply([web('tried', mistyped)], ['--dry-run=server'])).toEqual([notKnown('tried')]);
    const { status } = await cluster.admin.get(`/apis/apps/v1/namespaces/${namespace}/deployments/tried`);
    expect(status).toBe(404);
  });

  it('tells of a name that matches nothing now, and no more of one that exists elsewhere', async () => {
    await cluster.apply(configMap({ name: 'shared', namespace: 'default', data: { color: 'red' } }));
    const reload = 'configmap.reloader.stakater.com/reload';
    const title = (value: string) => `Deployment shop/listing: annotation ${reload}="${value}"`;
    expect(await apply([web('listing', { [reload]: 'gone,shared' })])).toEqual([
      `${title('gone')} matches no ConfigMap in shop now; check the name, or create it`,
      `${title('shared')} matches no ConfigMap in shop now; check the name, or create it`,
    ]);
  });

  it('says nothing of a source that comes with the workload', async () => {
    for (let round = 0; round < 10; round++) {
      const name = `together-${String(round)}`;
      const source = configMap({ name, namespace, data: { color: 'red' } });
      const listing = web(name, { 'configmap.reloader.stakater.com/reload': name });
      expect(await apply([source, listing])).toEqual([]);
    }
  });

  it('tells that a ReplicaSet of nobody is not covered, and asks nobody about that of a Deployment', async () => {
    const before = await callsFor('replicasets');
    await cluster.apply(web('owning', auto));
    await pollUntil('the ReplicaSet of a Deployment', async () => {
      const { body } = await cluster.admin.get(`/apis/apps/v1/namespaces/${namespace}/replicasets`);
      return JSON.stringify(body).includes('"name":"owning-') ? true : undefined;
    });
    expect(await callsFor('replicasets')).toBe(before);
    expect(await apply([replicaSet('alone')])).toEqual([
      expect.stringMatching(
        /^ReplicaSet shop\/alone: annotation reloader\.stakater\.com\/auto="true" has no effect: a ReplicaSet of apps is not restarted; put it on a Deployment, /,
      ),
    ]);
    expect(await callsFor('replicasets')).toBe(before + 1);
  });

  it('tells nothing where nothing is wrong, or where it is switched off', async () => {
    expect(await apply([web('right', auto)])).toEqual([]);
    expect(await apply([web('silent', { ...mistyped, 'reroll.dev/lint': 'off' })])).toEqual([]);
  });

  it('tells an operator nothing', async () => {
    expect(await apply([web('operated', mistyped)], ['--field-manager=operator'], 'operator')).toEqual([]);
  });
});

it('who scales is told nothing, and nobody is asked', async () => {
  await apply([web('scaled', mistyped)]);
  const before = await callsFor('deployments');
  const scale = ['--kubeconfig', kubeconfigs.alice, '-n', namespace, 'scale', 'deployment/scaled', '--replicas=1'];
  await cluster.plane.kubectl(scale);
  expect(await callsFor('deployments')).toBe(before);
});

it('by both registrations, a warning is printed once', async () => {
  await cluster.register(['mutating', 'validating']);
  await untilCalled(cluster, webhook, ['mutating', 'validating']);
  expect(await apply([web('twice', mistyped)])).toEqual([notKnown('twice')]);
});

it('no condition failed, and no call', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});

it('without a reconciler, a write goes through in silence', async () => {
  await reconciler.end('SIGKILL');
  expect(await apply([web('unasked', mistyped)])).toEqual([]);
});
