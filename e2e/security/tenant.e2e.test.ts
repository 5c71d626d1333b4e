import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configMap, deployment, fromSecret, secret } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import { seededRandom } from '../apiserver/seeded-random';
import { median, quantile } from '../bench/statistics';
import type { RerollProcess } from '../reroll-process';
import { App } from '../webhook/app';
import { untilCalled } from '../webhook/probe';
import { metricsOf, namespace, ownNamespace, RerollCluster } from '../webhook/reroll-cluster';
import { hostileActs, tenantNamespace } from './hostile-tenant';
import { askLoop, loopProbeOption } from './loop-probe';
import { chartNodeOptions } from '../image-environment';
import { ObservedProcesses } from './observed-processes';

/** One minute in CI, which finds most of what ten minutes find. */
const minutes = process.env['CI'] === 'true' ? 1 : 10;
const seed = Number(process.env['REROLL_TENANT_SEED'] ?? Math.floor(Date.now() / 86_400_000));

/** What the chart gives each process: its memory limit, of which V8 gets three quarters. */
const limitMiB = 256;

/** A realistic number of concurrent writers for one tenant. They keep an API server on two cores busy. */
const writers = 2;
const pauseMs = 100;

const marker = 'never-to-be-told-4711';

let probeFiles: TemporaryDir;
let cluster: RerollCluster;
let alice: ContractClient;
let mallory: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;
let app: App;

beforeAll(async () => {
  probeFiles = createTemporaryDir();
  process.env['NODE_OPTIONS'] = `${chartNodeOptions} ${await loopProbeOption(probeFiles.dir)}`;
  cluster = await RerollCluster.start(['validating', 'mutating']);
  alice = await cluster.editor('alice');
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenantNamespace } });
  mallory = await cluster.member('mallory', tenantNamespace, { kind: 'ClusterRole', name: 'admin' });
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  await cluster.apply(
    secret({ name: 'other-tenants-secret', namespace, data: { password: marker } }),
    configMap({ name: 'schema', namespace: tenantNamespace, data: { 'a.json': '{"type":"object"}' } }),
    deployment({
      ...{ name: 'vault', namespace, annotations: { 'reloader.stakater.com/auto': 'true' } },
      envFrom: [fromSecret('other-tenants-secret')],
    }),
  );
  await untilCalled(cluster, webhook, ['validating', 'mutating']);
  app = await App.create(cluster, 'bystander');
});

afterAll(async () => {
  delete process.env['NODE_OPTIONS'];
  await cluster.stop();
  probeFiles.dispose();
});

/** The milliseconds from another tenant's edit to the restart. Expects exactly one restart. */
async function restartMs(color: string): Promise<number> {
  return await app.restartsOnce(async () => {
    expect((await app.paint(alice, color)).status).toBe(200);
  });
}

async function portOf(process: RerollProcess): Promise<number> {
  const { address } = await process.line(({ message }) => message === 'serving metrics and probes');
  return Number(String(address).split(':').at(-1));
}

it(
  `what a tenant with all rights in one namespace does for ${String(minutes)} minutes costs others nothing and tells them nothing`,
  async () => {
    const usual: number[] = [];
    for (const color of ['a', 'b', 'c', 'd', 'e']) usual.push(await restartMs(color));

    const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${ownNamespace}/leases`;
    const leases = async (): Promise<unknown> => {
      const { items } = (await cluster.admin.get(leasePath)).body as unknown as {
        readonly items: readonly { readonly spec: Readonly<Record<string, unknown>> }[];
      };
      return items.map(({ spec }) => [spec['holderIdentity'], spec['leaseTransitions']]);
    };
    const leaseBefore = await leases();

    const heard: string[] = [];
    const done = new Map<string, number>();
    const random = seededRandom(seed);
    const observed = new ObservedProcesses({ reconciler, webhook });
    const probePorts = [await portOf(reconciler), await portOf(webhook)];
    const hostility = {
      ...{ api: mallory, random, webhookPort: cluster.webhookPort, probePorts },
      heard: ({ bytes, warnings }: { readonly bytes: Buffer; readonly warnings: string }) => {
        const said = `${warnings}\n${bytes.toString('utf8')}`;
        if (/other-tenants-secret.{0,80}exist|never-to-be-told/.test(said)) heard.push(said.slice(0, 500));
      },
    };
    // Resets the figures, so that they only cover the attack.
    await Promise.all([askLoop(reconciler), askLoop(webhook)]);
    const untilMs = performance.now() + minutes * 60_000;
    const isOver = (): boolean => performance.now() >= untilMs;
    const attack = async (): Promise<void> => {
      while (!isOver()) {
        const { what, act } = hostileActs[Math.floor(random.float() * hostileActs.length)]!;
        await act(hostility);
        done.set(what, (done.get(what) ?? 0) + 1);
        await delay(pauseMs);
      }
    };
    const look = async (): Promise<void> => {
      while (!isOver()) {
        await observed.look();
        await delay(1_000);
      }
    };
    const meanwhile: number[] = [];
    const work = async (): Promise<void> => {
      for (let index = 0; !isOver(); index++) meanwhile.push(await restartMs(`m${String(index)}`));
    };
    await Promise.all([look(), work(), ...Array.from({ length: writers }, attack)]);

    const turns = await Promise.all([askLoop(reconciler), askLoop(webhook)]);
    const told = JSON.stringify([reconciler.lines, webhook.lines]) + (await metricsOf(reconciler)).text;
    const figures = {
      seed,
      minutes,
      acts: [...done.values()].reduce((sum, count) => sum + count, 0),
      kinds: `${String(done.size)} of ${String(hostileActs.length)}`,
      processes: observed.worst,
      longestTurnMs: turns.map(({ longestMs }) => Math.round(longestMs)),
      usualMs: { p50: Math.round(median(usual)), max: Math.round(Math.max(...usual)) },
      meanwhileMs: {
        n: meanwhile.length,
        p50: Math.round(median(meanwhile)),
        p90: Math.round(quantile(meanwhile, 0.9)),
        max: Math.round(Math.max(...meanwhile)),
      },
    };
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);

    expect(observed.worst.filter(({ ended }) => ended)).toEqual([]);
    expect(observed.worst.filter(({ peakResidentMiB }) => peakResidentMiB > limitMiB)).toEqual([]);
    expect(observed.worst.filter(({ unansweredProbes }) => unansweredProbes > 1)).toEqual([]);
    expect(await leases()).toEqual(leaseBefore);
    expect(heard).toEqual([]);
    expect(told).not.toContain(marker);
    // The API server and etcd share two cores with the attack, so their own part of a restart grows as well.
    expect(median(meanwhile)).toBeLessThan(2 * median(usual) + 1_000);
    expect(meanwhile.length).toBeGreaterThan(minutes * 3);
  },
  (minutes + 5) * 60_000,
);
