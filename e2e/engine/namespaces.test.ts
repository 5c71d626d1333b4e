import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { readinessChecks } from '../../reconciler/process/health';
import { maxNamespaces } from '../../reconciler/options/options';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { maxWatchSockets } from '../../shared/kube/transport/https-transport';
import { patchObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import {
  deploymentConfigKind,
  rolloutKind,
  secretProviderClassKind,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, namespace } from '../apiserver/cluster';
import { Harness, type Engine, usualLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const labelled = { env: 'prod' };
const selecting: Partial<EngineSettings> = { namespaceSelector: parseSelector('env=prod') };

const app = (where: string) => configMap({ name: 'app', namespace: where, data: { color: 'red' } });
const web = (where: string) =>
  deployment({ name: 'web', namespace: where, annotations: auto, envFrom: [fromConfigMap('app')] });

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
});

/** Starts an engine in a cluster where, for an hour, `web` has used `app` in namespace `shop` with these labels. */
async function start(labels: Record<string, string>, settings = selecting): Promise<void> {
  harness.seed(namespace('shop', { labels }), app('shop'), web('shop'));
  await harness.clock.advance(3_600_000);
  engine = await harness.start(settings);
  await settled();
}

async function settled(): Promise<void> {
  await harness.clock.advance(30_000);
}

async function label(env: string | null, name = 'shop'): Promise<void> {
  await patchObject(harness.admin, namespaces, undefined, name, { metadata: { labels: { env } } }, { type: 'merge' });
}

async function edit(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, 'shop');
}

function restarts(): number {
  return harness.restarts('Deployment', 'web', 'shop');
}

async function passedOver(): Promise<number> {
  const text = await engine.metrics.registry.text();
  return Number(/reloader_skipped_total{reason="ignored_or_not_selected"} (\d+)/.exec(text)?.[1]);
}

async function baseline(): Promise<string | undefined> {
  return (await harness.get('Deployment', 'web', 'shop')).metadata.annotations?.['reroll.dev/baseline'];
}

function lagOfNamespaces(lagMs: number): void {
  const match = ({ isWatch, pathname }: { readonly isWatch: boolean; readonly pathname: string }) =>
    isWatch && pathname === '/api/v1/namespaces';
  harness.faults.add({ match, fault: { kind: 'lag', lagMs } });
}

describe('§10.2 --namespace-selector', () => {
  it.each([
    ['restarts in a namespace with the label', labelled, 1],
    ['restarts nothing in a namespace without the label', {}, 0],
    ['restarts nothing in a namespace with another value', { env: 'dev' }, 0],
  ])('%s', async (_name, labels, times) => {
    await start(labels);
    const before = await passedOver();
    await edit('blue');
    await settled();
    expect(restarts()).toBe(times);
    // Two writes to a selected workload: baseline and restart. None to one that is not selected.
    expect(harness.writesOf('Deployment', 'web', 'shop').filter(({ user }) => user === 'reroll')).toHaveLength(
      2 * times,
    );
    expect((await passedOver()) - before).toBe(1 - times);
  });

  it('ends a pause in a namespace that has lost the label, and restarts nothing although it reads the Deployment', async () => {
    const paused = deployment({
      ...{ name: 'web', namespace: 'shop', envFrom: [fromConfigMap('app')] },
      annotations: { ...auto, 'deployment.reloader.stakater.com/pause-period': '1m' },
    });
    harness.seed(namespace('shop', { labels: labelled }), app('shop'), paused);
    engine = await harness.start(selecting);
    await settled();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(restarts()).toBe(1);
    await label(null);
    await edit('green');
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/web'),
      times: 1,
      fault: { kind: 'status', code: 409 },
    });
    await harness.clock.advance(120_000);
    const { spec } = await harness.get('Deployment', 'web', 'shop');
    expect(fieldAt(spec, ['paused'])).toBe(false);
    expect(restarts()).toBe(1);
  });

  it('selects every namespace if it is empty', async () => {
    await start({}, { namespaceSelector: everything });
    await edit('blue');
    await settled();
    expect(restarts()).toBe(1);
  });

  it('is not needed where single namespaces are watched, and no Namespace is requested', async () => {
    await start({}, { namespaceSelector: everything, namespaces: ['shop'] });
    await edit('blue');
    await settled();
    expect(restarts()).toBe(1);
    expect(
      harness.server.requests().filter(({ user, resource }) => user === 'reroll' && resource === 'namespaces'),
    ).toEqual([]);
  });

  it('adopts the workloads of a namespace that gains the label as they are then, whatever changed before', async () => {
    await start({});
    // The workload is newer than this process and its ConfigMap was edited since. Without the time of the label, Reroll
    // would be in doubt.
    await harness.delete('Deployment', 'web', 'shop');
    harness.seed(web('shop'));
    await settled();
    await edit('blue');
    await settled();
    await label('prod');
    await settled();
    expect(restarts()).toBe(0);
    expect(await baseline()).toBeDefined();
    await edit('green');
    await settled();
    expect(restarts()).toBe(1);
  });

  it('restarts for a change after the label was added, even if the watch of namespaces is behind', async () => {
    lagOfNamespaces(20_000);
    await start({});
    await label('prod');
    await harness.clock.advance(5_000);
    await edit('blue');
    await harness.clock.advance(5_000);
    expect(restarts()).toBe(0);
    await settled();
    expect(restarts()).toBe(1);
  });

  it('restarts for a change in a new namespace that the watch has not shown yet', async () => {
    lagOfNamespaces(20_000);
    engine = await harness.start(selecting);
    harness.seed(namespace('shop', { labels: labelled }), app('shop'));
    await harness.clock.advance(3_000);
    harness.seed(web('shop'));
    await harness.clock.advance(3_000);
    await edit('blue');
    await settled();
    expect(restarts()).toBe(1);
  });

  it('restarts nothing once the label is removed, and leaves the baselines on the workloads', async () => {
    await start(labelled);
    const before = await baseline();
    await label(null);
    await harness.clock.advance(1_000);
    await edit('blue');
    await settled();
    expect(restarts()).toBe(0);
    expect(await baseline()).toBe(before);
    expect(engine.lines).toContainEqual(
      expect.objectContaining({
        message: 'namespace shop is no longer selected',
        fields: { namespace: 'shop', workloads: 1 },
      }),
    );
  });

  it.each([
    ['restarts once for changes made meanwhile', 'blue', 1],
    ['restarts nothing if nothing changed', 'red', 0],
  ])('when the label comes back, %s', async (_name, color, times) => {
    await start(labelled);
    await label(null);
    await settled();
    await edit('green');
    await edit(color);
    await settled();
    await label('prod');
    await settled();
    expect(restarts()).toBe(times);
    await edit('yellow');
    await settled();
    expect(restarts()).toBe(times + 1);
  });

  it('drops a change in its settle window when the label is removed, and restarts for it when the label is back', async () => {
    await start(labelled);
    await edit('blue');
    await harness.clock.advance(500);
    await label(null);
    await settled();
    expect(restarts()).toBe(0);
    await label('prod');
    await settled();
    expect(restarts()).toBe(1);
  });

  it('forgets workloads that were deleted while their namespace was not selected', async () => {
    await start(labelled);
    await label(null);
    await settled();
    await harness.delete('Deployment', 'web', 'shop');
    await settled();
    await label('prod');
    await settled();
    expect(await engine.metrics.registry.text()).toContain('reroll_workloads{kind="Deployment",tracked="true"} 0');
  });

  it('treats a recreated namespace of the same name as a new one', async () => {
    await start(labelled);
    await harness.deleteNamespace('shop');
    await settled();
    harness.seed(namespace('shop', { labels: {} }), app('shop'), web('shop'));
    await edit('blue');
    await settled();
    expect(harness.writesOf('Deployment', 'web', 'shop').at(-1)?.user).toBe('admin');
  });

  it('finds labels that were added and removed while the watch was down', async () => {
    harness.seed(namespace('bank', { labels: labelled }), app('bank'), web('bank'));
    await start({});
    const lift = harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/namespaces',
      fault: { kind: 'status', code: 503 },
    });
    await harness.clock.advance(700_000);
    await label('prod');
    await label(null, 'bank');
    lift();
    await harness.clock.advance(120_000);
    await edit('blue');
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'bank');
    await settled();
    expect([restarts(), harness.restarts('Deployment', 'web', 'bank')]).toEqual([1, 0]);
  });

  it('is not ready, says why and restarts nothing without the permission to watch namespaces, until it is granted', async () => {
    const lift = harness.faults.add({
      match: ({ pathname }) => pathname === '/api/v1/namespaces',
      fault: { kind: 'status', code: 403 },
    });
    await start(labelled);
    await edit('blue');
    await settled();
    expect(restarts()).toBe(0);
    const refused = engine.reconciler.status.watches.find(({ name }) => name === 'namespaces');
    expect(refused).toMatchObject({ synced: false, lastError: { status: 403 } });
    lift();
    await harness.clock.advance(600_000);
    // The ConfigMap changed while this process watched everything except namespaces.
    expect(restarts()).toBe(1);
    await edit('green');
    await settled();
    expect(restarts()).toBe(2);
  });

  it('restarts once for a change that was made while Reroll was down', async () => {
    harness.leaseTimings = usualLease;
    await start(labelled);
    engine.kill();
    await edit('blue');
    await harness.start({ ...selecting, identity: 'reroll-1' });
    await settled();
    expect(restarts()).toBe(1);
  });
});

describe('§10.1 --namespaces-to-ignore', () => {
  it.each([
    [['shop'], 0],
    [['bank'], 1],
  ])('with %j restarts in namespace shop %i times', async (namespacesToIgnore, times) => {
    await start({}, { namespacesToIgnore });
    await edit('blue');
    await settled();
    expect(restarts()).toBe(times);
  });

  it('keeps the API server from sending what it ignores', async () => {
    await start({}, { namespacesToIgnore: ['shop', 'bank'] });
    expect(await engine.metrics.registry.text()).toContain('reroll_sources{kind="ConfigMap"} 0');
  });

  it('applies in addition to a selector', async () => {
    await start(labelled, { ...selecting, namespacesToIgnore: ['shop'] });
    await edit('blue');
    await settled();
    expect(restarts()).toBe(0);
  });
});

describe('the largest allowed number of namespaces', () => {
  const names = Array.from({ length: maxNamespaces }, (_, n) => `team-${n}`);
  const last = names.at(-1)!;

  it('is watched completely, with a connection for each watch, even with all add-ons', async () => {
    harness = new Harness({
      customKinds: [rolloutKind, deploymentConfigKind, secretProviderClassKind, secretProviderClassPodStatusKind],
    });
    for (const name of names) harness.seed(namespace(name), app(name), web(name));
    engine = await harness.start({ namespaces: names, csi: true });
    await settled();
    const { watches } = engine.reconciler.status;
    expect(watches.filter(({ begun }) => !begun)).toEqual([]);
    expect(watches.filter(({ name }) => name.endsWith(` in ${last}`)).map(({ name }) => name)).toHaveLength(11);
    expect(harness.server.watchCache.watcherCount()).toBe(watches.length);
    expect(watches.length).toBeLessThan(maxWatchSockets);
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, last);
    await harness.clock.advance(5_000);
    expect(harness.restarts('Deployment', 'web', last)).toBe(1);
  });
});

describe('a watch that is not established', () => {
  it('keeps Reroll from being ready, and is named', async () => {
    harness.faults.add({
      match: ({ isWatch, pathname, query }) =>
        isWatch && pathname.endsWith('/secrets') && !query.has('sendInitialEvents'),
      fault: { kind: 'half-open' },
    });
    engine = await harness.start();
    await harness.clock.advance(10_000);
    const readiness = (): unknown => readinessChecks(engine.reconciler)[1]!.check();
    expect(readiness()).toMatchObject({
      ok: false,
      message: expect.stringContaining('secrets: listed, watch not established yet'),
    });
    await harness.clock.advance(30_000);
    const told = engine.lines.filter(({ message }) => message === 'watch failed, trying again');
    expect(told.length).toBeGreaterThan(0);
    expect(readiness()).toMatchObject({ ok: false });
    harness.faults.clear();
    await harness.clock.advance(120_000);
    expect(readiness()).toMatchObject({ ok: true });
  });
});
