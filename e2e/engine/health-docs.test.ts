import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { HealthChecker } from '../../reconciler/health-checks/health-checker';
import { PrometheusCheck } from '../../reconciler/health-checks/prometheus-check';
import { ServiceCheck } from '../../reconciler/health-checks/service-check';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { createObject, type KubeObject } from '../../shared/kube/client/objects';
import { secrets } from '../../shared/kube/resource';
import type { GetAnswer, GetRequest } from '../../shared/outbound/http-get';
import { deployment, fromSecret, namespace, secret } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { customKind } from '../apiserver/resources';
import { codeBlocks, textOf } from '../docs/pages';
import { Harness, type Engine, type Outlets } from './harness';

const [theSecret = '', canary = '', checked = '', ...more] = codeBlocks(textOf('docs/health.md'))
  .filter(({ text }) => text.includes('\n    reroll.dev/'))
  .map(({ text }) => text);

const auto = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
/** Pods with this password never become ready. */
const wrong = 'wrong';
const serviceKind = customKind({ group: '', version: 'v1', kind: 'Service', plural: 'services' });

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness({ customKinds: [serviceKind] });
  harness.seed(namespace('shop'));
});

afterEach(async () => await engine.stop());

/** They come before `canary` if only names decide. */
function seedApps(count: number): void {
  for (let n = 0; n < count; n++) {
    const name = `app-${String(n).padStart(2, '0')}`;
    harness.seed(deployment({ name, namespace: 'shop', annotations: auto, envFrom: [fromSecret('db')] }));
  }
}

function seedSecret(): void {
  harness.seed(secret({ name: 'db', namespace: 'shop', data: { password: 'change-me' } }));
}

async function apply(manifest: string): Promise<void> {
  const object = parse(manifest) as KubeObject & { readonly kind: string };
  const resource = object.kind === 'Secret' ? secrets : workloadKind('Deployment').resource;
  await createObject(harness.admin, resource, 'shop', object);
}

/** An install that has set nothing about stages. */
async function start(outlets?: Outlets): Promise<void> {
  const isBroken = (sources: ReadonlyMap<string, unknown>): boolean =>
    [...sources.values()].some(
      (source) => fieldAt(source, ['data', 'password']) === Buffer.from(wrong).toString('base64'),
    );
  new Controllers(harness.server, { readyDelayMs: 5_000, isBroken }).start();
  await harness.clock.advance(minuteMs);
  engine = await harness.start({}, undefined, outlets);
  await harness.clock.advance(minuteMs);
}

async function write(password: string): Promise<void> {
  await harness.edit('Secret', 'db', { password }, 'shop');
}

describe('each object in docs/health.md', () => {
  it('a Secret with stages has them for three users, who stop when the first breaks', async () => {
    seedApps(3);
    await apply(theSecret);
    await start();
    await write('blue');
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toEqual(['app-00']);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toEqual(['app-00', 'app-01', 'app-02']);
    await write(wrong);
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(4);
    expect(await engine.metrics.registry.text()).toContain('reroll_stopped_sources 1');
  });

  it('a canary goes before those that come first by name', async () => {
    seedSecret();
    seedApps(20);
    await apply(canary);
    await start();
    await write('blue');
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toEqual(['canary']);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(21);
  });

  it('a canary with checks keeps the others waiting until each of them passes', async () => {
    const asked = new Set<string>();
    const answers = { service: { status: 503, body: '' }, prometheus: { status: 200, body: resultOf() } };
    const get =
      (which: keyof typeof answers) =>
      async ({ host, port, path }: GetRequest): Promise<GetAnswer> => {
        asked.add(which === 'service' ? `${host}:${port}${path}` : decodeURIComponent(path.replaceAll('+', ' ')));
        return await Promise.resolve(answers[which]);
      };
    const { clock, admin: client } = harness;
    const service = new ServiceCheck({ client, get: get('service') });
    const url = new URL('http://prometheus');
    const prometheus = new PrometheusCheck({ url, get: get('prometheus'), timeoutMs: 5_000 });
    seedSecret();
    seedApps(20);
    harness.seed({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } },
      spec: { clusterIP: '10.96.0.7', selector: { app: 'web' }, ports: [{ port: 8080 }] },
    });
    await apply(checked);
    await start({ checker: new HealthChecker({ clock, service, prometheus }) });
    await write('blue');
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['canary']);
    answers.service = { status: 204, body: '' };
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['canary']);
    answers.prometheus = { status: 200, body: resultOf({ metric: {}, value: [1, '0'] }) };
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(21);
    const queried = [...asked].find((each) => each.includes('query='));
    expect(asked).toContain('10.96.0.7:8080/healthz');
    expect(queried).toContain('(sum(rate(http_requests_total{namespace="shop",code=~"5.."}[1m])) or vector(0)) < 1');
  });

  it('is looked at here', () =>
    expect([theSecret, checked, more]).toEqual([expect.any(String), expect.stringContaining('healthy-query'), []]));
});

function resultOf(...result: readonly object[]): string {
  return JSON.stringify({ status: 'success', data: { resultType: 'vector', result } });
}
