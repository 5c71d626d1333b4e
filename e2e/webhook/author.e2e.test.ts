import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { App } from './app';
import { expectOneRestart, restartLine } from './expect-restart';
import { untilCalled } from './probe';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

let cluster: RerollCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  alice = await cluster.editor('alice');
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
});

afterAll(async () => await cluster.stop());

describe.each([
  ['validating', ['validating']],
  ['mutating', ['mutating']],
  ['both', ['mutating', 'validating']],
] as const)('registered as %s', (name, hooks) => {
  it('a change is one restart, and its author is known', async () => {
    await cluster.register(hooks);
    await untilCalled(cluster, webhook, hooks);
    const app = await App.create(cluster, `registered-${name}`);
    const before = await metricsOf(webhook);
    await expectOneRestart(app, { alice, reconciler, path: 'both' });
    const after = await metricsOf(webhook);
    const grown = (result: string): number =>
      after.sum('reroll_webhook_records_total', { result }) - before.sum('reroll_webhook_records_total', { result });
    expect(grown('sent')).toBe(1);
    expect(grown('duplicate')).toBe(hooks.length - 1);
  });
});

it('kubectl edit tells who, with what, and which keys', async () => {
  const app = await App.create(cluster, 'edited');
  const kubeconfig = await cluster.plane.kubeconfigFor('alice');
  await app.restartsOnce(async () => {
    await cluster.plane.kubectl(['--kubeconfig', kubeconfig, '-n', namespace, 'edit', 'configmap', app.name], {
      env: { KUBE_EDITOR: String.raw`sed -i -e 's/color: red/color: blue/' -e 's/^data:/data:\n  size: L/'` },
    });
  });
  const because = 'ConfigMap edited: content changed (keys: color, size) by alice (kubectl-edit)';
  expect(await app.event()).toContain(because);
  expect(await restartLine(reconciler, app)).toMatchObject({
    because: [because],
    users: ['alice'],
    managers: ['kubectl-edit'],
    paths: ['both'],
  });
});

it('nothing that the webhook did failed', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});

it('with the watch cut, the webhook alone brings the change', async () => {
  const app = await App.create(cluster, 'unwatched');
  const rules = [{ op: 'replace', path: '/rules/0/verbs', value: ['get'] }];
  await cluster.plane.kubectl(['patch', 'clusterrole', 'reroll', '--type=json', '-p', JSON.stringify(rules)]);
  // An allowed watch would go on for minutes. It ends with its API server, and a new one is not allowed.
  await cluster.plane.stopApiServer('SIGKILL');
  await cluster.plane.startApiServer();
  await reconciler.line(({ error }) => /"watch" on resource "configmaps"/.test(String(error)));
  await expectOneRestart(app, { alice, reconciler, path: 'webhook' });
});
