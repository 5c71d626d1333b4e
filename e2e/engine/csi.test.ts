import { describe, expect, it } from '@jest/globals';
import { patchObject, deleteObject } from '../../shared/kube/client/objects';
import { secretProviderClasses, secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { resourcePath } from '../../shared/kube/resource';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import {
  csiVolume,
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus as podStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { configMap, deployment, seedNamespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, type Engine, handoverLease } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
/** Within this time Reroll finds a newly served API (it asks every five minutes) and lists it. */
const askedMs = 7 * minuteMs;
const customKinds = [secretProviderClassKind, secretProviderClassPodStatusKind];
const csi = { csi: true } as const;

/** A cluster where two pods have mounted version 1 of a class that Deployment `web` uses. */
async function world(annotations: Readonly<Record<string, string>> = auto, onClass = {}): Promise<Harness> {
  const harness = new Harness({ customKinds });
  harness.seed(
    secretProviderClass('vault', onClass),
    deployment({ name: 'web', annotations, ...csiVolume('vault') }),
    podStatus('a', 'vault', { pw: '1' }),
    podStatus('b', 'vault', { pw: '1' }),
  );
  await harness.clock.advance(10 * minuteMs);
  return harness;
}

async function start(harness: Harness, settings: Partial<EngineSettings> = csi): Promise<Engine> {
  const engine = await harness.start(settings);
  await harness.clock.advance(10_000);
  return engine;
}

/** Sets a new version in a pod's status, as the CSI driver does for a rotated secret. */
async function rotate(harness: Harness, pod: string, version: string, className = 'vault'): Promise<void> {
  const name = `${pod}-default-${className}`;
  const patch = { status: { objects: [{ id: 'pw', version }] } };
  await patchObject(harness.admin, secretProviderClassPodStatuses, 'default', name, patch, { type: 'merge' });
  await harness.clock.advance(20_000);
}

async function remove(harness: Harness, pod: string): Promise<void> {
  await deleteObject(harness.admin, secretProviderClassPodStatuses, 'default', `${pod}-default-vault`, {
    propagationPolicy: 'Background',
  });
  await harness.clock.advance(20_000);
}

function restarts(harness: Harness): number {
  return harness.restarts('Deployment', 'web');
}

describe('§9 CSI: one rotation, one restart', () => {
  it('restarts once, however many pods show it, and logs why without a version', async () => {
    const harness = await world();
    const engine = await start(harness);
    expect(restarts(harness)).toBe(0);
    await rotate(harness, 'a', '2-secret');
    expect(restarts(harness)).toBe(1);
    await rotate(harness, 'b', '2-secret');
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(1);
    expect(engine.lines.filter(({ message }) => message.endsWith('web restarted')).at(-1)?.fields).toMatchObject({
      because: ['SecretProviderClass vault: content changed (keys: pw)'],
    });
    expect(JSON.stringify([engine.lines, await harness.get('Deployment', 'web')])).not.toContain('2-secret');
    const { spec } = (await harness.get('Deployment', 'web')) as unknown as { spec: { template: object } };
    expect(spec.template).toMatchObject({
      spec: { containers: [{ env: [{ name: 'STAKATER_VAULT_SECRETPROVIDERCLASS' }] }] },
    });
  });

  it('added and deleted pod statuses restart nothing, because new pods start with the current versions', async () => {
    const harness = await world();
    await start(harness);
    harness.seed(podStatus('c', 'vault', { pw: '2' }));
    await harness.clock.advance(minuteMs);
    await remove(harness, 'a');
    await remove(harness, 'b');
    expect(restarts(harness)).toBe(0);
  });

  it('pods that replace rotated ones restart nothing, even across a restart of Reroll', async () => {
    const harness = await world();
    const engine = await start(harness);
    await rotate(harness, 'a', '2');
    harness.seed(podStatus('c', 'vault', { pw: '2' }));
    await remove(harness, 'a');
    await remove(harness, 'b');
    engine.kill();
    await harness.clock.advance(minuteMs);
    await start(harness);
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(1);
    await rotate(harness, 'c', '3');
    expect(restarts(harness)).toBe(2);
  });

  it('finds a rotation that was made while Reroll was down', async () => {
    const harness = await world();
    const engine = await start(harness);
    engine.kill();
    await rotate(harness, 'a', '2');
    await harness.clock.advance(minuteMs);
    await start(harness);
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(1);
  });

  it('a pod that is behind the newest rotation does not count, in whatever order pods are listed', async () => {
    const harness = await world();
    const engine = await start(harness);
    await rotate(harness, 'b', '2');
    await rotate(harness, 'a', '3');
    expect(restarts(harness)).toBe(2);
    engine.kill();
    await harness.clock.advance(minuteMs);
    await start(harness);
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(2);
  });

  it('a rotation long before the first install restarts nothing', async () => {
    const harness = await world();
    await rotate(harness, 'a', '2');
    await harness.clock.advance(60 * minuteMs);
    await start(harness);
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(0);
    await rotate(harness, 'a', '3');
    expect(restarts(harness)).toBe(1);
  });

  it('Q50: the first versions in a pod status are no change', async () => {
    const harness = await world();
    harness.seed(podStatus('late', 'vault', null));
    await start(harness);
    await rotate(harness, 'late', '7');
    expect(restarts(harness)).toBe(0);
    await rotate(harness, 'late', '8');
    expect(restarts(harness)).toBe(1);
  });

  it('finds a rotation of a pod status that was last seen without versions', async () => {
    const harness = await world();
    await start(harness);
    harness.seed(podStatus('late', 'vault', null));
    await harness.clock.advance(10_000);
    const end = harness.faults.add({
      match: ({ pathname }) => pathname.endsWith('/secretproviderclasspodstatuses'),
      fault: { kind: 'status', code: 503 },
    });
    // Wait until the open watch has ended.
    await harness.clock.advance(10 * minuteMs);
    await rotate(harness, 'late', '1');
    await rotate(harness, 'late', '2');
    harness.server.compact();
    end();
    await harness.clock.advance(2 * minuteMs);
    expect(restarts(harness)).toBe(1);
  });

  it.each([true, false])('a label on a pod status is no rotation (while Reroll runs: %s)', async (isSeen) => {
    const harness = await world();
    const engine = await start(harness);
    if (!isSeen) engine.kill();
    await harness.admin.request({
      method: 'PATCH',
      path: resourcePath(secretProviderClassPodStatuses, 'default', 'a-default-vault'),
      query: { fieldManager: 'labeller' },
      body: { metadata: { labels: { team: 'shop' } } },
      contentType: 'application/merge-patch+json',
    });
    await harness.clock.advance(minuteMs);
    if (!isSeen) await start(harness);
    await harness.clock.advance(minuteMs);
    expect(restarts(harness)).toBe(0);
  });
});

describe('§9 annotations and flags', () => {
  it.each<[Readonly<Record<string, string>>, Readonly<Record<string, string>>, number]>([
    [{ 'secretproviderclass.reloader.stakater.com/auto': 'true' }, {}, 1],
    [{ 'secretproviderclass.reloader.stakater.com/reload': 'vault' }, {}, 1],
    [{ 'secretproviderclass.reloader.stakater.com/reload': 'va.*' }, {}, 1],
    [{ 'secretproviderclass.reloader.stakater.com/reload': 'other' }, {}, 0],
    [{ 'secret.reloader.stakater.com/auto': 'true' }, {}, 0],
    [{ ...auto, 'secretproviderclasses.exclude.reloader.stakater.com/reload': 'vault' }, {}, 0],
    [auto, { 'reloader.stakater.com/ignore': 'true' }, 0],
    [{ 'reloader.stakater.com/search': 'true' }, { 'reloader.stakater.com/match': 'true' }, 1],
    [{ 'reloader.stakater.com/search': 'true' }, {}, 0],
  ])(
    '§2.5 rows 69-73: %j on the workload and %j on the class restart %i times',
    async (onWorkload, onClass, expected) => {
      const harness = await world(onWorkload, onClass);
      await start(harness);
      await rotate(harness, 'a', '2');
      expect(restarts(harness)).toBe(expected);
    },
  );

  it('a class that gets the ignore annotation restarts nothing from then on', async () => {
    const harness = await world();
    await start(harness);
    const ignore = { metadata: { annotations: { 'reloader.stakater.com/ignore': 'true' } } };
    await patchObject(harness.admin, secretProviderClasses, 'default', 'vault', ignore, { type: 'merge' });
    await harness.clock.advance(10_000);
    await rotate(harness, 'a', '2');
    expect(restarts(harness)).toBe(0);
  });

  it('a rotation long before the class was annotated to match restarts nothing, and one after it does', async () => {
    const harness = await world({ 'reloader.stakater.com/search': 'true' });
    await start(harness);
    await rotate(harness, 'a', '2');
    await harness.clock.advance(30 * minuteMs);
    const match = { metadata: { annotations: { 'reloader.stakater.com/match': 'true' } } };
    await patchObject(harness.admin, secretProviderClasses, 'default', 'vault', match, { type: 'merge' });
    await harness.clock.advance(5 * minuteMs);
    expect(restarts(harness)).toBe(0);
    await rotate(harness, 'a', '3');
    expect(restarts(harness)).toBe(1);
  });

  it.each<[string, Partial<EngineSettings>, number]>([
    ['the integration enabled, a rotation restarts', { csi: true }, 1],
    ['the integration disabled, a rotation restarts nothing', { csi: false }, 0],
    [
      'the flags for create and delete, only the rotation restarts',
      { csi: true, reloadOnCreate: true, reloadOnDelete: true },
      1,
    ],
    // Statuses are watched without the selector: the CSI driver sets their labels, not the user.
    [
      'a selector of sources (Q48), pod statuses are still watched',
      { csi: true, sourceSelector: parseSelector('tier=web') },
      1,
    ],
  ])('with %s', async (_what, settings, expected) => {
    const harness = await world();
    await start(harness, settings);
    await remove(harness, 'b');
    await rotate(harness, 'a', '2');
    expect(restarts(harness)).toBe(expected);
  });

  it('sends no request to the API if it is disabled, and reads no class for a workload if it is enabled (Q49)', async () => {
    const harness = await world();
    await start(harness, { csi: false });
    expect(harness.server.requests().filter(({ resource }) => resource.includes('secrets-store'))).toEqual([]);
    const other = await world();
    new Controllers(other.server).start();
    await other.clock.advance(30_000);
    await start(other);
    other.requestsSinceLast();
    await rotate(other, 'a', '2');
    expect(other.requestsSinceLast()).toEqual(['patch deployments.apps', 'create events']);
  });
});

it('a standby that takes over while its watch of pod statuses hangs does not act on what it remembers', async () => {
  const harness = await world();
  harness.leaseTimings = handoverLease;
  const first = await start(harness, { ...csi, identity: 'reroll-0' });
  let hangs = false;
  harness.faults.add({
    match: ({ isWatch, pathname }) =>
      isWatch && pathname.endsWith('/secretproviderclasspodstatuses') && !hangs && (hangs = true),
    fault: { kind: 'half-open', atEvent: 4 },
  });
  const second = await start(harness, { ...csi, identity: 'reroll-1' });
  await rotate(harness, 'a', '2');
  await rotate(harness, 'a', '3');
  expect(restarts(harness)).toBe(2);
  await first.stop();
  await harness.clock.advance(minuteMs);
  expect(second.reconciler.status.state).toBe('acting');
  expect(restarts(harness)).toBe(2);
});

it.each([
  ['restarts nothing if it was made before the creation of the workload', false, 0],
  ['restarts if it was made after the creation of the workload', true, 1],
])('a rotation that a watch shows late %s', async (_what, isSince, expected) => {
  const harness = await world();
  harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/secretproviderclasspodstatuses'),
    fault: { kind: 'lag', lagMs: minuteMs },
  });
  await start(harness);
  const rotateUnseen = async () => await rotate(harness, 'a', '2');
  if (!isSince) await rotateUnseen();
  harness.seed(deployment({ name: 'later', annotations: auto, ...csiVolume('vault') }));
  await harness.clock.advance(10_000);
  const { metadata } = await harness.get('Deployment', 'later');
  expect(metadata.annotations?.['reroll.dev/baseline']).toContain('"spc/vault":"-"');
  if (isSince) await rotateUnseen();
  await harness.clock.advance(2 * minuteMs);
  expect(restarts(harness)).toBe(1);
  expect(harness.restarts('Deployment', 'later')).toBe(expected);
});

describe('§9 Q51 the CSI API', () => {
  it('is found when it appears at run time, and restarts nothing when it disappears', async () => {
    const harness = new Harness();
    const objects = [
      secretProviderClass('vault'),
      podStatus('a', 'vault', { pw: '1' }),
      deployment({ name: 'web', annotations: auto, ...csiVolume('vault') }),
    ];
    harness.seed(objects[2]!);
    await start(harness);
    for (const kind of customKinds) harness.server.serve(kind);
    harness.seed(objects[0]!, objects[1]!);
    await harness.clock.advance(askedMs);
    await rotate(harness, 'a', '2');
    expect(restarts(harness)).toBe(1);
    for (const kind of customKinds) harness.server.stopServing(kind);
    await harness.clock.advance(5 * minuteMs);
    for (const kind of customKinds) harness.server.serve(kind);
    harness.seed(objects[0]!, objects[1]!);
    await harness.clock.advance(askedMs);
    expect(restarts(harness)).toBe(1);
    await rotate(harness, 'a', '3');
    expect(restarts(harness)).toBe(2);
  });
});

it('an id that looks like two keys, in a pod status of another namespace, hides no change of a ConfigMap with these keys', async () => {
  const harness = new Harness({ customKinds });
  seedNamespace(harness.server, 'tenant');
  const { metadata, ...status } = podStatus('a', 'vault', { 'color\0size': '1' });
  const color = { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'app', key: 'color' } } };
  harness.seed({ ...status, metadata: { ...metadata, namespace: 'tenant' } });
  await start(harness);
  harness.seed(
    configMap({ name: 'app', data: { color: 'red', size: '1' } }),
    deployment({ name: 'web', annotations: auto, env: [color] }),
  );
  await harness.clock.advance(60_000);
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  expect(restarts(harness)).toBe(1);
});
