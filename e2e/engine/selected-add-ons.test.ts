import { describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { patchObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import {
  csiVolume,
  deploymentConfig,
  deploymentConfigKind,
  rollout,
  rolloutKind,
  rolloutOf,
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { envFrom: [fromConfigMap('app')] };
const selecting: Partial<EngineSettings> = { namespaceSelector: parseSelector('env=prod'), csi: true };
const customKinds = [
  rolloutKind,
  deploymentConfigKind,
  secretProviderClassKind,
  secretProviderClassPodStatusKind,
] as const;

/** Starts an engine in a cluster with ConfigMap `app`. Label `env` of namespace `default` may select it. */
async function started(env: string | null, objects: readonly ObjectInput[], settings = selecting): Promise<Harness> {
  const harness = new Harness({ customKinds: [...customKinds] });
  harness.seed(configMap({ name: 'app', data: { color: 'red' } }), ...objects);
  await label(harness, env);
  await harness.clock.advance(3_600_000);
  await harness.start(settings);
  await harness.clock.advance(30_000);
  return harness;
}

async function label(harness: Harness, env: string | null): Promise<void> {
  const patch = { metadata: { labels: { env } } };
  await patchObject(harness.admin, namespaces, undefined, 'default', patch, { type: 'merge' });
  await harness.clock.advance(30_000);
}

async function edit(harness: Harness, color: string, afterMs = 30_000): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(afterMs);
}

const kinds = [
  ['Rollout', rollout({ name: 'web', annotations: auto, ...uses })],
  ['DeploymentConfig', deploymentConfig({ name: 'web', annotations: auto, ...uses })],
] as const;

describe('§10 add-ons in selected namespaces', () => {
  it.each(kinds)('a %s is restarted only in namespaces with the label', async (kind, object) => {
    const harness = await started(null, [object]);
    await edit(harness, 'blue');
    await label(harness, 'prod');
    expect(harness.restarts(kind, 'web')).toBe(0);
    await edit(harness, 'green');
    expect(harness.restarts(kind, 'web')).toBe(1);
    await label(harness, null);
    await edit(harness, 'pink');
    expect(harness.restarts(kind, 'web')).toBe(1);
    await label(harness, 'prod');
    expect(harness.restarts(kind, 'web')).toBe(2);
  });

  it.each(kinds)('a %s is left alone in an ignored namespace', async (kind, object) => {
    const harness = await started(null, [object], { namespacesToIgnore: ['default'], csi: true });
    await edit(harness, 'blue');
    expect(harness.restarts(kind, 'web')).toBe(0);
  });

  it('workloads are forgotten if their API disappears while their namespace is not selected', async () => {
    const harness = await started(null, [rollout({ name: 'web', annotations: auto, ...uses })]);
    harness.server.stopServing(rolloutKind);
    await harness.clock.advance(180_000);
    await label(harness, 'prod');
    await edit(harness, 'blue');
    const writes = harness.server
      .requests()
      .filter(({ verb, resource }) => verb === 'patch' && /rollouts/.test(resource));
    expect(writes).toEqual([]);
  });

  it('a Deployment whose template a Rollout uses is restarted only while their namespace is selected', async () => {
    const harness = await started(null, [deployment({ name: 'web', ...uses }), rolloutOf('web-ro', auto)]);
    await edit(harness, 'blue');
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await label(harness, 'prod');
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await edit(harness, 'green');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await label(harness, null);
    await edit(harness, 'pink');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await label(harness, 'prod');
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('a Rollout that opts in or out while its namespace is not selected counts once it is selected', async () => {
    const other = deployment({ name: 'other', annotations: auto, ...uses });
    const harness = await started(null, [deployment({ name: 'web', ...uses }), rolloutOf('web-ro', {}), other]);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: auto } });
    await harness.clock.advance(30_000);
    await edit(harness, 'blue');
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await label(harness, 'prod');
    await edit(harness, 'green');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    // Deployment `other`, from the list, is held at the same gate as `web`, which was read by name.
    expect(harness.restarts('Deployment', 'other')).toBe(1);
    await label(harness, null);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    await harness.clock.advance(30_000);
    await label(harness, 'prod');
    await edit(harness, 'pink');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each([
    ['prod', 1],
    [null, 0],
  ])('a rotation in a namespace with label %j restarts %i times', async (env, times) => {
    const harness = await started(env, [
      secretProviderClass('vault'),
      secretProviderClassPodStatus('a', 'vault', { pw: '1' }),
      deployment({ name: 'web', annotations: auto, ...csiVolume('vault') }),
    ]);
    const patch = { status: { objects: [{ id: 'pw', version: '2' }] } };
    await patchObject(harness.admin, secretProviderClassPodStatuses, 'default', 'a-default-vault', patch, {
      type: 'merge',
    });
    await harness.clock.advance(30_000);
    expect(harness.restarts('Deployment', 'web')).toBe(times);
  });
});

describe('§8 a Deployment that Reroll holds paused when its namespace loses the label', () => {
  const paused = { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' };
  const web = deployment({ name: 'web', annotations: paused, ...uses });

  async function isPaused(harness: Harness): Promise<unknown> {
    const { spec } = await harness.get('Deployment', 'web');
    return (spec as { readonly paused?: boolean }).paused;
  }

  it('is resumed on time, and not restarted', async () => {
    const harness = await started('prod', [web]);
    await edit(harness, 'blue');
    await label(harness, null);
    await edit(harness, 'green', 180_000);
    expect([await isPaused(harness), harness.restarts('Deployment', 'web')]).toEqual([true, 1]);
    await harness.clock.advance(120_000);
    expect([await isPaused(harness), harness.restarts('Deployment', 'web')]).toEqual([false, 1]);
    await edit(harness, 'pink');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    await label(harness, 'prod');
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it('is resumed even by a process that never saw the label', async () => {
    const harness = await started(null, [
      deployment({
        name: 'web',
        annotations: { ...paused, 'deployment.reloader.stakater.com/paused-at': '2000-01-01T00:00:00Z' },
        spec: { paused: true },
        ...uses,
      }),
    ]);
    expect([await isPaused(harness), harness.restarts('Deployment', 'web')]).toEqual([false, 0]);
  });
});
