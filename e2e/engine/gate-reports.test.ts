import { beforeEach, describe, expect, it } from '@jest/globals';
import { createObject, deleteObject, patchObject } from '../../shared/kube/client/objects';
import { configMaps, namespaces } from '../../shared/kube/resource';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { ownNamespace } from '../engine-settings';
import { engineUser, Harness, type Engine } from './harness';
import { rule, warnings } from './rights.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const hourMs = 3_600_000;

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }), web('web'));
});

/** A Deployment that uses ConfigMap `app`. */
function web(name: string, annotations: Record<string, string> = {}) {
  const envFrom = [fromConfigMap('app')];
  return deployment({ name, namespace: 'shop', annotations: { ...auto, ...annotations }, envFrom });
}

async function settled(): Promise<void> {
  await harness.clock.advance(30_000);
}

async function edit(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, 'shop');
  await settled();
}

async function annotateNamespace(annotations: Record<string, string | null>): Promise<void> {
  await patchObject(harness.admin, namespaces, undefined, 'shop', { metadata: { annotations } }, { type: 'merge' });
  await settled();
}

async function holdEverything(annotations: Record<string, string> = {}): Promise<void> {
  const metadata = { name: 'reroll-hold', namespace: ownNamespace, annotations };
  await createObject(harness.admin, configMaps, ownNamespace, { metadata });
  await settled();
}

async function releaseEverything(): Promise<void> {
  await deleteObject(harness.admin, configMaps, ownNamespace, 'reroll-hold', { propagationPolicy: 'Background' });
  await settled();
}

/** The values of a metric, by its one label; those that are 0 are left out. */
async function shown(name: string): Promise<Readonly<Record<string, number>>> {
  const series = await engine.metrics.registry.series(name);
  return Object.fromEntries(
    series.filter(({ value }) => value !== 0).map(({ labels, value }) => [Object.values(labels).join(), value]),
  );
}

describe('metrics', () => {
  it('count the restarts that wait, by what keeps them', async () => {
    harness.seed(web('nightly', { 'reroll.dev/windows': '02:00-02:01' }), web('free', { 'reroll.dev/hold': 'false' }));
    engine = await harness.start();
    await annotateNamespace({ 'reroll.dev/hold': 'true' });
    expect(await shown('reroll_waiting_restarts')).toEqual({});
    await edit('blue');
    expect(await shown('reroll_waiting_restarts')).toEqual({ hold: 2 });
    await annotateNamespace({ 'reroll.dev/hold': null });
    expect(await shown('reroll_waiting_restarts')).toEqual({ window: 1 });
    await harness.patch('Deployment', 'nightly', { metadata: { annotations: { 'reroll.dev/windows': null } } }, 'shop');
    await settled();
    expect(await shown('reroll_waiting_restarts')).toEqual({});
    await engine.stop();
  });

  it('show whether everything is held, and whether that ends by itself', async () => {
    engine = await harness.start();
    expect(await shown('reroll_hold_active')).toEqual({});
    await holdEverything();
    expect(await shown('reroll_hold_active')).toEqual({ none: 1 });
    await releaseEverything();
    expect(await shown('reroll_hold_active')).toEqual({});
    const until = new Date(harness.clock.nowMs() + hourMs).toISOString();
    await holdEverything({ 'reroll.dev/hold': `until=${until}` });
    expect(await shown('reroll_hold_active')).toEqual({ set: 1 });
    await harness.clock.advance(hourMs);
    expect(await shown('reroll_hold_active')).toEqual({});
    await engine.stop();
  });

  it.each([
    ['', false],
    [', also if the restart loses its answer', true],
  ])('do not take a change that waited for one that the webhook missed%s', async (_what, isLost) => {
    engine = await harness.start();
    await edit('blue');
    expect(await shown('reroll_changes_total')).toEqual({ watch: 1 });
    await annotateNamespace({ 'reroll.dev/hold': 'true' });
    await edit('green');
    await harness.clock.advance(2 * hourMs);
    harness.faults.add({
      match: ({ user, pathname }) => isLost && user === engineUser && pathname.endsWith('/deployments/web'),
      fault: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await annotateNamespace({ 'reroll.dev/hold': null });
    expect(harness.restarts('Deployment', 'web', 'shop')).toBe(2);
    expect(await shown('reroll_changes_total')).toEqual({ watch: 1 });
    await edit('yellow');
    expect(await shown('reroll_changes_total')).toEqual({ watch: 2 });
    await engine.stop();
  });
});

describe('the log', () => {
  const about = (): readonly string[] => warnings(engine, /annotation reroll\.dev/);

  it('tells once what is wrong with the annotations of a namespace', async () => {
    engine = await harness.start();
    await annotateNamespace({ 'reroll.dev/windows': 'nights', 'reroll.dev/hld': 'true' });
    await annotateNamespace({ other: 'true' });
    expect(about()).toEqual([
      expect.stringMatching(/^Namespace shop: annotation reroll\.dev\/windows="nights" has no effect: /),
      'Namespace shop: annotation reroll.dev/hld is not known and has no effect; did you mean reroll.dev/hold?',
    ]);
    expect(await shown('reroll_annotation_problems_total')).toEqual({ '': 2 });
    await engine.stop();
  });

  it('tells once what is wrong with the annotations of a source, also of one that was there before', async () => {
    harness.seed(configMap({ name: 'old', namespace: 'shop', annotations: { 'reroll.dev/min-interval': '1d' } }));
    engine = await harness.start();
    const annotations = { 'reroll.dev/urgent': 'yes' };
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } }, 'shop');
    await settled();
    await edit('blue');
    expect(about()).toEqual([
      expect.stringMatching(/^ConfigMap shop\/old: annotation reroll\.dev\/min-interval="1d" is not a duration /),
      expect.stringMatching(/^ConfigMap shop\/app: annotation reroll\.dev\/urgent="yes" is not a boolean /),
    ]);
    await engine.stop();
  });

  it('tells that the hold of everything cannot be read, and it holds', async () => {
    engine = await harness.start();
    await holdEverything({ 'reroll.dev/hold': 'tomorrow' });
    expect(about()).toEqual([expect.stringContaining(`ConfigMap ${ownNamespace}/reroll-hold: annotation reroll.dev/hold="tomorrow" is not a hold that Reroll can read`)]); // prettier-ignore
    await edit('blue');
    expect(harness.restarts('Deployment', 'web', 'shop')).toBe(0);
    await engine.stop();
  });
});

it('a hold in another namespace holds nothing', async () => {
  const annotations = { 'reroll.dev/hold': 'true' };
  harness.seed(
    namespace('other'),
    ...['app', 'reroll-hold'].map((name) => configMap({ name, namespace: 'other', annotations })),
    configMap({ name: 'reroll-hold', namespace: 'shop', annotations }),
  );
  engine = await harness.start();
  await edit('blue');
  expect(harness.restarts('Deployment', 'web', 'shop')).toBe(1);
  await engine.stop();
});

describe('without the permission to list', () => {
  const rules = [
    rule('apps', 'deployments daemonsets statefulsets', 'get list watch patch'),
    rule('batch', 'cronjobs jobs', 'get list watch patch create delete'),
    rule('', 'events', 'create'),
    rule('', 'secrets', 'get list watch create update delete'),
    rule('coordination.k8s.io', 'leases', 'get create update'),
    rule('', 'configmaps', 'get create update', [ownNamespace]),
    rule('', 'configmaps', 'get list watch', ['shop']),
  ];

  it('says once that annotations of namespaces and the hold of everything have no effect', async () => {
    harness.server.rbac.restrict(engineUser, rules);
    engine = await harness.start({ ignoredSourceKind: 'ConfigMap' });
    await harness.clock.advance(hourMs);
    expect(warnings(engine, /^missing permission to list/).toSorted()).toEqual([
      "missing permission to list and watch ConfigMap reroll-hold in Reroll's namespace: creating that ConfigMap does not stop restarts",
      'missing permission to list and watch namespaces: their annotations, such as reroll.dev/hold and reroll.dev/windows, have no effect',
    ]);
    await engine.stop();
  });

  it('holds everything with the right to that one ConfigMap', async () => {
    const one = { ...rule('', 'configmaps', 'list watch', [ownNamespace]), resourceNames: ['reroll-hold'] };
    harness.server.rbac.restrict(engineUser, [...rules, rule('', 'namespaces', 'list watch'), one]);
    engine = await harness.start({ namespaces: ['shop'] });
    await holdEverything();
    await edit('blue');
    expect(harness.restarts('Deployment', 'web', 'shop')).toBe(0);
    await releaseEverything();
    expect(harness.restarts('Deployment', 'web', 'shop')).toBe(1);
    const refused = harness.server.requests().filter(({ user, code }) => user === engineUser && code === 403);
    expect(refused).toEqual([]);
    await engine.stop();
  });
});
