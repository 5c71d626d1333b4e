import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deployment, fromSecret, secret } from '../apiserver/cluster';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import { metricsOf, RerollCluster } from '../webhook/reroll-cluster';
import { LeaderPair } from './leader-pair';

/** Answers each query with as many samples as are set. */
class FakePrometheus {
  samples = 0;
  readonly queries: string[] = [];
  readonly #server: Server;

  static async open(): Promise<FakePrometheus> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakePrometheus(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', ({ url = '' }, response) => {
      this.queries.push(new URL(url, this.url).searchParams.get('query') ?? '');
      const result = Array.from({ length: this.samples }, () => ({ metric: {}, value: [1, '1'] }));
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}

const names = ['canary', 'web-1', 'web-2', 'web-3'];

let cluster: RerollCluster;
let leaders: LeaderPair;
let prometheus: FakePrometheus;

beforeAll(async () => {
  prometheus = await FakePrometheus.open();
  cluster = await RerollCluster.start([]);
  const flags = ['--healthy-urls', `--prometheus-url=${prometheus.url}`, '--stage-deadline=15s', '--healthy-for=1s'];
  leaders = await LeaderPair.start(cluster, flags);
});

afterAll(async () => {
  prometheus.close();
  await cluster.stop();
});

/** Four users of one Secret; the first one has these annotations. */
async function shopWith(name: string, annotations: Readonly<Record<string, string>>): Promise<TestNamespace> {
  const shop = await TestNamespace.create(cluster, name);
  const stages = { 'reroll.dev/stages': 'on' };
  await shop.create(secret({ name: 'db', annotations: stages, data: { password: 'red' } }));
  for (const each of names) {
    const own = each === 'canary' ? { 'reroll.dev/canary': 'true', ...annotations } : {};
    await shop.create(
      deployment({ name: each, annotations: { ...auto, ...own }, envFrom: [fromSecret('db')], replicas: 1 }),
    );
  }
  for (const each of names) await shop.adopted('Deployment', each);
  await pollUntil(
    'the pod of the canary to be available',
    async () => {
      const { status } = (await shop.stored('Deployment', 'canary')) as { status?: { availableReplicas?: number } };
      return status?.availableReplicas === 1 ? true : undefined;
    },
    patient,
  );
  return shop;
}

async function restarted(shop: TestNamespace): Promise<readonly string[]> {
  const all = await shop.all('Deployment');
  return all
    .filter(({ metadata }) => metadata.annotations?.['reroll.dev/last-restart'] !== undefined)
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

it('the others stay as they are while a ready canary fails its query, whoever leads, and follow once it passes', async () => {
  const shop = await shopWith('shop-with-query', { 'reroll.dev/healthy-query': 'up{job="canary"} == 1' });
  await shop.patch('Secret', 'db', { stringData: { password: 'blue' } });
  await shop.eventWith('RestartsStopped db: restarts for Secret db are stopped: Deployment canary is not healthy');
  const [event] = (await shop.events()).filter((each) => each.startsWith('RestartsStopped canary'));
  expect(event).toContain('(reroll.dev/healthy-query: the result is empty)');
  const { status } = (await shop.stored('Deployment', 'canary')) as { status?: { updatedReplicas?: number } };
  expect([status?.updatedReplicas, await restarted(shop)]).toEqual([1, ['canary']]);
  await leaders.kill();
  const asked = prometheus.queries.length;
  await leaders.takenOver();
  await pollUntil(
    'the next leader to stop the others',
    async () => ((await metricsOf(leaders.leader)).sum('reroll_stopped_sources') === 1 ? true : undefined),
    patient,
  );
  expect(prometheus.queries.length).toBeGreaterThan(asked);
  expect(await restarted(shop)).toEqual(['canary']);
  expect(new Set(prometheus.queries)).toEqual(new Set(['up{job="canary"} == 1']));
  prometheus.samples = 1;
  await pollUntil(
    'all to be restarted',
    async () => ((await restarted(shop)).length === names.length ? true : undefined),
    {
      ...patient,
      intervalMs: 500,
    },
  );
});

// No cluster IP leads anywhere on this control plane, so no Service is called here.
it('a Service that leads out of the cluster is read with the rights of the install, and not called', async () => {
  const shop = await shopWith('shop-with-url', { 'reroll.dev/healthy-url': 'http://web:8080/healthz' });
  await cluster.apply({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: shop.name } },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 8080 }] },
  });
  await shop.patch('Secret', 'db', { stringData: { password: 'blue' } });
  const event = await shop.eventWith(
    'RestartsStopped db: restarts for Secret db are stopped: Deployment canary is not healthy',
  );
  expect(event).toContain('(reroll.dev/healthy-url: Service web has no cluster IP)');
  expect(await restarted(shop)).toEqual(['canary']);
});
