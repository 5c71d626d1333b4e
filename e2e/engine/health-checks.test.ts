import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthChecker } from '../../reconciler/health-checks/health-checker';
import { PrometheusCheck } from '../../reconciler/health-checks/prometheus-check';
import { ServiceCheck } from '../../reconciler/health-checks/service-check';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import type { GetAnswer, GetRequest } from '../../shared/outbound/http-get';
import { configMap, cronJob, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import type { JsonValue } from '../apiserver/json';
import { Controllers } from '../apiserver/controllers/controllers';
import { customKind } from '../apiserver/resources';
import { Harness, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const url = { 'reroll.dev/healthy-url': 'http://web:8080/healthz' };
const query = { 'reroll.dev/healthy-query': 'up == 1' };
const minuteMs = 60_000;
const settings: Partial<EngineSettings> = {
  pace: unlimited,
  stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs },
};
const serviceKind = customKind({ group: '', version: 'v1', kind: 'Service', plural: 'services' });
const noSample = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } });
const aSample = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{}] } });

let harness: Harness;
let engine: Engine;
let sent: GetRequest[];
let answer: GetAnswer;

beforeEach(() => {
  harness = new Harness({ customKinds: [serviceKind] });
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
  [sent, answer] = [[], { status: 503, body: noSample }];
});

afterEach(async () => await engine.stop());

function seedService(
  spec: Readonly<Record<string, JsonValue>> = {
    clusterIP: '10.96.0.7',
    selector: { app: 'web' },
    ports: [{ port: 8080 }],
  },
): void {
  const metadata = { name: 'web', namespace: 'shop' };
  harness.seed({ apiVersion: 'v1', kind: 'Service', metadata, spec });
}

/** Thirty users, the first of which is the canary and has these annotations. */
function seedApps(annotations: Record<string, string>): void {
  const envFrom = [fromConfigMap('app')];
  harness.seed(
    ...Array.from({ length: 30 }, (_, n) => {
      const own = n === 0 ? { 'reroll.dev/canary': 'true', ...annotations } : {};
      const name = `web-${String(n).padStart(2, '0')}`;
      return deployment({ name, namespace: 'shop', annotations: { ...auto, ...own }, envFrom });
    }),
  );
}

async function start(asks: 'both' | 'neither' = 'both'): Promise<void> {
  new Controllers(harness.server, { readyDelayMs: 5_000 }).start();
  await harness.clock.advance(minuteMs);
  await lead(asks);
  await harness.clock.advance(30_000);
}

async function lead(asks: 'both' | 'neither' = 'both'): Promise<void> {
  const { clock, admin: client } = harness;
  const get = async (request: GetRequest): Promise<GetAnswer> => {
    sent.push(request);
    return await Promise.resolve(answer);
  };
  const both = {
    service: new ServiceCheck({ client, get }),
    prometheus: new PrometheusCheck({ url: new URL('http://prometheus'), get, timeoutMs: 5_000 }),
  };
  const checker = new HealthChecker({ clock, ...(asks === 'both' && both) });
  engine = await harness.start(settings, undefined, { checker });
}

async function holdOthers(hold: string | null): Promise<void> {
  for (let n = 1; n < 30; n++) {
    const name = `web-${String(n).padStart(2, '0')}`;
    await harness.patch('Deployment', name, { metadata: { annotations: { 'reroll.dev/hold': hold } } }, 'shop');
  }
}

async function paint(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, 'shop');
}

function detail(name = 'web-29'): unknown {
  return fieldAt(inspected.workload(engine, `Deployment/shop/${name}`), ['detail']);
}

function events(reason: string): readonly string[] {
  return harness
    .objects('Event')
    .filter((event) => fieldAt(event, ['reason']) === reason)
    .map((event) => String(fieldAt(event, ['note']) ?? fieldAt(event, ['message'])));
}

describe('the first user of a changed source that has a health check', () => {
  beforeEach(() => seedService());

  it('keeps the others waiting while its URL does not answer with 2xx, and they follow once it does', async () => {
    seedApps(url);
    await start();
    expect(sent).toEqual([]);
    await paint('blue');
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    expect(detail()).toBe(
      'ConfigMap app restarts its users in stages: Deployment web-00 must first be healthy for 30s (reroll.dev/healthy-url: status 503)',
    );
    expect(sent[0]).toMatchObject({ host: '10.96.0.7', port: 8080, path: '/healthz', maxBodyBytes: 0 });
    answer = { status: 204, body: '' };
    await harness.clock.advance(30_000);
    expect(harness.restartOrder()).toHaveLength(1);
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toHaveLength(4);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('keeps them waiting while its query has no result', async () => {
    seedApps(query);
    answer = { status: 200, body: noSample };
    await start();
    await paint('blue');
    await harness.clock.advance(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    expect(detail()).toMatch(/\(reroll\.dev\/healthy-query: the result is empty\)$/);
    answer = { status: 200, body: aSample };
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('is asked every five seconds, only after its restart, and only as long as somebody waits', async () => {
    seedApps(url);
    await start();
    await harness.clock.advance(10 * minuteMs);
    await paint('blue');
    await harness.clock.advance(6_000);
    expect(sent).toEqual([]);
    await harness.clock.advance(minuteMs);
    expect(sent.length).toBeGreaterThanOrEqual(11);
    expect(sent.length).toBeLessThanOrEqual(13);
    answer = { status: 200, body: '' };
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
    const asked = sent.length;
    await harness.clock.advance(60 * minuteMs);
    expect(sent).toHaveLength(asked);
    expect(await engine.metrics.registry.text()).toMatch(/reroll_health_checks_total\{result="failed"\} \d+/);
  });

  it('stops the others at the deadline, with Events that name check and status, and never its body', async () => {
    seedApps({ ...url, ...query });
    answer = { status: 500, body: 's3cret' };
    await start();
    await paint('blue');
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    expect(detail()).toMatch(/^restarts for ConfigMap app are stopped: .* \(reroll\.dev\/healthy-url: status 500\)$/);
    expect(events('RestartsStopped')).toHaveLength(2);
    for (const event of events('RestartsStopped')) expect(event).toContain('(reroll.dev/healthy-url: status 500)');
    expect(JSON.stringify([engine.lines, harness.objects('Event'), harness.objects('Deployment')])).not.toContain(
      's3cret',
    );
    expect(await engine.metrics.registry.text()).toContain('reroll_stopped_sources 1');
    answer = { status: 200, body: aSample };
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('is asked anew by a new leader, which stops nothing before it has', async () => {
    seedApps(url);
    answer = { status: 200, body: '' };
    await start();
    await paint('blue');
    await harness.clock.advance(20_000);
    await engine.stop();
    await harness.clock.advance(20 * minuteMs);
    const asked = sent.length;
    await lead();
    await harness.clock.advance(20_000);
    expect([harness.restartOrder().length, events('RestartsStopped')]).toEqual([1, []]);
    expect(sent.length).toBeGreaterThan(asked);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('says that its check is not asked if the install has no flag for it, and the others follow', async () => {
    seedApps(url);
    await start('neither');
    await paint('blue');
    await harness.clock.advance(15_000);
    expect(detail()).toMatch(/\(reroll\.dev\/healthy-url is not asked without --healthy-urls\)$/);
    await harness.clock.advance(5 * minuteMs);
    expect([harness.restartOrder().length, sent]).toEqual([30, []]);
  });

  it('can be a CronJob, of whose pods nothing else is known', async () => {
    const annotations = { ...auto, ...url, 'reroll.dev/wave': '-1' };
    harness.seed(cronJob({ name: 'report', namespace: 'shop', annotations, envFrom: [fromConfigMap('app')] }));
    seedApps({});
    await start();
    await paint('blue');
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toEqual([]);
    expect(detail()).toMatch(
      /^restarts for ConfigMap app are stopped: CronJob report .* \(reroll\.dev\/healthy-url: status 503\)$/,
    );
    answer = { status: 200, body: '' };
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('stops nobody by an answer of an hour ago', async () => {
    seedApps(url);
    await start();
    await paint('blue');
    await harness.clock.advance(minuteMs);
    await holdOthers('true');
    await harness.clock.advance(minuteMs);
    answer = { status: 200, body: '' };
    await harness.clock.advance(60 * minuteMs);
    await holdOthers(null);
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
    expect(harness.objects('Event').filter((event) => fieldAt(event, ['reason']) === 'RestartsStopped')).toEqual([]);
  });
});

describe('a tenant who wants to reach somebody else', () => {
  it.each([
    ['with an address', { 'reroll.dev/healthy-url': 'http://169.254.169.254/' }, undefined, 'cannot be read'],
    [
      'with a Service of another namespace',
      { 'reroll.dev/healthy-url': 'http://web.reroll.svc:8080/' },
      undefined,
      'names a Service of another namespace',
    ],
    [
      'with a Service of type ExternalName',
      url,
      { type: 'ExternalName', externalName: 'web.reroll.svc' },
      'Service web has no cluster IP',
    ],
    [
      'with endpoints of their own',
      url,
      { clusterIP: '10.96.0.7', ports: [{ port: 8080 }] },
      'Service web selects no pods',
    ],
  ])('%s reaches nobody, and stops only their own', async (_how, annotations, spec, why) => {
    seedService(spec);
    seedApps(annotations);
    await start();
    await paint('blue');
    await harness.clock.advance(10 * minuteMs);
    expect([sent, harness.restartOrder()]).toEqual([[], ['web-00']]);
    expect(detail()).toContain(`(reroll.dev/healthy-url: ${why})`);
  });
});
