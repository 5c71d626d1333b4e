import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../apiserver/json';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { App } from './app';
import { kubectlWarnings } from './kubectl-warnings';
import { untilCalled } from './probe';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

let cluster: RerollCluster;
let reconciler: RerollProcess;
let webhook: RerollProcess;
let kubeconfig: string;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  await cluster.editor('alice');
  kubeconfig = await cluster.plane.kubeconfigFor('alice');
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  await untilCalled(cluster, webhook);
});

afterAll(async () => await cluster.stop());

function configMap(name: string, color: string, annotations: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data: { color } };
}

/** The warnings that alice reads at her terminal. */
async function apply(object: JsonObject, ...flags: readonly string[]): Promise<readonly string[]> {
  return await kubectlWarnings(cluster, ['--kubeconfig', kubeconfig, 'apply', '-f', '-', ...flags], [object]);
}

async function sentRecords(): Promise<number> {
  return (await metricsOf(webhook)).sum('reroll_webhook_records_total', { result: 'sent' });
}

describe('kubectl apply', () => {
  it('tells what a change will restart, and it does', async () => {
    const app = await App.create(cluster, 'previewed');
    let told: readonly string[] = [];
    await app.restartsOnce(async () => {
      told = await apply(configMap(app.name, 'blue'));
    });
    expect(told).toEqual([`restarts deployment/${app.name} (key color)`]);
  });

  it('with --dry-run=server tells the same, sends no record and changes nothing', async () => {
    const app = await App.create(cluster, 'tried');
    const path = `/api/v1/namespaces/${namespace}/configmaps/${app.name}`;
    const [before, sent] = [await cluster.admin.get(path), await sentRecords()];
    expect(await apply(configMap(app.name, 'blue'), '--dry-run=server')).toEqual([
      `restarts deployment/${app.name} (key color)`,
    ]);
    expect((await cluster.admin.get(path)).body).toEqual(before.body);
    expect(await sentRecords()).toBe(sent);
    await app.restartsOnce(async () => {
      await apply(configMap(app.name, 'green'));
    });
  });

  it('tells nothing of what nobody uses, nor where it is switched off', async () => {
    expect(await apply(configMap('unused', 'red'))).toEqual([]);
    const app = await App.create(cluster, 'silent');
    expect(await apply(configMap(app.name, 'blue', { 'reroll.dev/preview': 'off' }))).toEqual([]);
  });
});

it('nothing that the webhook did failed', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});

it('without a reconciler, a write goes through at once and in silence', async () => {
  const app = await App.create(cluster, 'alone');
  await reconciler.end('SIGKILL');
  expect(await apply(configMap(app.name, 'blue'))).toEqual([]);
});
