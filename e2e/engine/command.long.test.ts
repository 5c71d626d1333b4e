import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reconcilerCommand } from '../../reconciler/process/assemble';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { patchObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, seed, seedNamespace } from '../apiserver/cluster';
import { startHttpsServer, type HttpsServer } from '../apiserver/https-server';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { FakeProcess } from '../fake-process';
import { userTransport } from '../user-transport';

let api: ApiServer;
let https: HttpsServer;
let receiver: Server;
let received: string[];
let onReceived: () => void;
let address: string;
let directory: string;
let running: FakeProcess | undefined;

beforeEach(async () => {
  api = new ApiServer({ clock: systemClock, random: systemRandom });
  for (const name of ['reroll', 'tools']) seedNamespace(api, name);
  const annotations = { 'reloader.stakater.com/auto': 'true' };
  seed(api, configMap({ name: 'app', data: { color: 'red' } }));
  seed(api, deployment({ name: 'web', annotations, envFrom: [fromConfigMap('app')] }));
  https = await startHttpsServer(api);
  received = [];
  onReceived = () => undefined;
  receiver = createServer((request, response) => {
    if (request.url === '/moved') {
      response.writeHead(307, { location: '/T0/s3cret' }).end();
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(body);
      response.end();
      onReceived();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/T0/s3cret`;
  directory = await mkdtemp(join(tmpdir(), 'reroll-reconciler-'));
});

afterEach(async () => {
  running?.emit('SIGTERM');
  await running?.exited;
  receiver.close();
  await https.close();
  await rm(directory, { recursive: true });
});

async function start(flags: readonly string[], env: Readonly<Record<string, string>>): Promise<FakeProcess> {
  const kubeconfig = join(directory, 'kubeconfig');
  await https.writeKubeconfig(kubeconfig, 'reroll');
  const process = new FakeProcess();
  running = process;
  const own = [`--kubeconfig=${kubeconfig}`, '--own-namespace=reroll', '--log-format=json', '--listen=127.0.0.1:0'];
  await reconcilerCommand(process as unknown as NodeJS.Process).run([...own, '--settle=0', ...flags], env);
  return process;
}

/** The next request body that the receiver gets. */
async function nextReceived(): Promise<string> {
  await new Promise<void>((resolve) => (onReceived = resolve));
  return received.at(-1) ?? '';
}

async function changeColor(): Promise<void> {
  const client = new KubeClient({
    ...{ transport: userTransport(inProcessTransport(api, 'admin')), credentials: staticCredentials({}) },
    ...{ clock: systemClock, logger: silentLogger, userAgent: 'kubectl/v1.36.3' },
  });
  await patchObject(client, configMaps, 'default', 'app', { data: { color: 'blue' } }, { type: 'merge' });
}

const recorded = 'Deployment default/web: baseline recorded; nothing restarted';

describe('reroll reconciler', () => {
  it('§1.3 sends alerts and publishes its options as the environment variables of Reloader say', async () => {
    const process = await start([], {
      ...{ ALERT_ON_RELOAD: 'true', ALERT_SINK: 'slack', ALERT_WEBHOOK_URL: address },
      ...{ RELOADER_NAMESPACE: 'tools', RELOADER_DEPLOYMENT_NAME: 'reloader', METRICS_COUNT_BY_NAMESPACE: 'enabled' },
    });
    await process.field(recorded, 'workload');
    const [alert] = await Promise.all([nextReceived(), changeColor()]);
    expect(alert).toContain('"text":"Reloader detected changes in *app* of type *CONFIGMAP* in namespace *default*');
    const probes = await process.field('serving metrics and probes', 'address');
    const metrics = await (await fetch(`http://${probes}/metrics`)).text();
    const { host } = new URL(https.url);
    const series = metrics.split('\n').filter((line) => line.startsWith('rest_client_') && line.includes('PATCH'));
    expect(series).toContain(`rest_client_requests_total{code="200",method="PATCH",host="${host}"} 2`);
    expect(series).toContain(`rest_client_request_duration_seconds_count{verb="PATCH",host="${host}"} 2`);
    expect(metrics).toContain('reloader_reload_executed_total_by_namespace{success="true",namespace="default"} 1\n');
    process.emit('SIGTERM');
    expect(await process.exited).toBe(0);
    expect(received).toHaveLength(1);
    const published = [...api.store.list(api.kindOf('ConfigMap'))].find(
      ({ metadata }) => metadata.namespace === 'tools',
    );
    expect(published).toMatchObject({
      metadata: { name: 'reloader-meta-info' },
      data: {
        buildInfo: expect.stringMatching(/"goVersion":"node v\d+/),
        deploymentInfo: '{"name":"reloader","namespace":"tools"}',
      },
    });
    expect(process.log).not.toContain('s3cret');
  });

  it('answers questions about workloads on a loopback address', async () => {
    const process = await start(['--inspection-listen=127.0.0.1:0'], {});
    await process.field(recorded, 'workload');
    const inspection = await process.field('answering questions about workloads and sources', 'address');
    expect(inspection).toMatch(/^127\.0\.0\.1:\d+$/);
    const answer = await fetch(`http://${inspection}/v1/workloads/deployment/default/web`);
    expect(await answer.json()).toMatchObject({ v: 1, tracked: true, sources: [{ name: 'app' }] });
  });

  it.each([
    ['', ''],
    ['off', 'off'],
  ])('answers none with --inspection-listen=%s', async (_what, text) => {
    const process = await start([`--inspection-listen=${text}`], {});
    await process.field(recorded, 'workload');
    expect(process.log).not.toContain('questions about workloads');
  });

  it('§14.3 calls --webhook-url and restarts nothing', async () => {
    const process = await start([`--webhook-url=${new URL('/T0/s3cret', address).href}`], {
      ALERT_ON_RELOAD: 'true',
      ALERT_WEBHOOK_URL: address,
    });
    const probes = await process.field('serving metrics and probes', 'address');
    // Changes made before the first list is complete are not reported.
    await process.field('started leading', 'level');
    const ready = async (): Promise<boolean> => (await fetch(`http://${probes}/readyz`)).ok;
    while (!(await ready())) await setImmediate();
    const [call] = await Promise.all([nextReceived(), changeColor()]);
    expect(call).toBe('{"webhook":"update successful"}');
    process.emit('SIGTERM');
    expect(await process.exited).toBe(0);
    expect(received).toHaveLength(1);
    expect(api.history().filter(({ kind, user }) => kind.kind === 'Deployment' && user === 'reroll')).toEqual([]);
    expect(process.log).not.toContain('s3cret');
  });

  it('§14.3 does not follow a redirect of --webhook-url, and does not log where it leads', async () => {
    const process = await start([`--webhook-url=${new URL('/moved', address).href}`], {});
    const probes = await process.field('serving metrics and probes', 'address');
    await process.field('started leading', 'level');
    while (!(await fetch(`http://${probes}/readyz`)).ok) await setImmediate();
    await changeColor();
    expect(await process.field('webhook refused the call, which is not made again: see --webhook-url', 'error')).toBe(
      'answered 307: redirects are not followed; set the address that this one leads to, if you trust it',
    );
    process.emit('SIGTERM');
    expect(await process.exited).toBe(0);
    expect(received).toEqual([]);
    expect(process.log).not.toContain('s3cret');
  });

  it('§1.3 counts by namespace only if METRICS_COUNT_BY_NAMESPACE is exactly "enabled"', async () => {
    const process = await start([], { METRICS_COUNT_BY_NAMESPACE: 'true' });
    const probes = await process.field('serving metrics and probes', 'address');
    const metrics = await (await fetch(`http://${probes}/metrics`)).text();
    expect(metrics).toContain('# TYPE reloader_reload_executed_total counter');
    expect(metrics).not.toContain('by_namespace');
  });

  it('--dry-run logs what it would restart and sends nothing but reads: no alert, no meta-info, no call', async () => {
    const process = await start(['--dry-run'], {
      ...{ ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: address },
      ...{ RELOADER_NAMESPACE: 'tools', RELOADER_DEPLOYMENT_NAME: 'reloader' },
    });
    const probes = await process.field('serving metrics and probes', 'address');
    const ready = async (): Promise<Response> => await fetch(`http://${probes}/readyz?verbose`);
    while (!(await ready()).ok) await setImmediate();
    expect(await (await ready()).text()).toContain('dry run: nothing is written');
    await changeColor();
    const told = await process.field('dry run: Deployment default/web would be restarted', 'because');
    expect(told).toContain('ConfigMap app: content changed');
    process.emit('SIGTERM');
    expect(await process.exited).toBe(0);
    expect(received).toEqual([]);
    expect(process.log).not.toContain('cannot publish');
    const verbs = new Set(api.requests().flatMap(({ user, verb }) => (user === 'reroll' ? [verb] : [])));
    expect([...verbs].filter((verb) => !['get', 'list', 'watch', 'other'].includes(verb))).toEqual([]);
    expect(api.history().filter(({ user }) => user === 'reroll')).toEqual([]);
  });
});
