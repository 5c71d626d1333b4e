import { describe, expect, it } from '@jest/globals';
import { alertSinks } from '../../reconciler/alerts/alert-formatters';
import type { PostAnswer } from '../../shared/outbound/post-transport';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { secretProviderClassPodStatuses } from '../../shared/kube/sources/csi-decoder';
import { patchObject } from '../../shared/kube/client/objects';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import {
  csiVolume,
  deploymentConfig,
  deploymentConfigKind,
  rollout,
  rolloutKind,
  secretProviderClass,
  secretProviderClassKind,
  secretProviderClassPodStatus,
  secretProviderClassPodStatusKind,
} from '../apiserver/add-ons';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { alertsOf } from './alert-outlet';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
const paused = { ...auto, 'deployment.reloader.stakater.com/pause-period': '5m' };
const app = configMap({ name: 'app', data: { color: 'red' } });

describe('alerts', () => {
  it.each([
    ['Deployment', deployment],
    ['StatefulSet', statefulSet],
    ['DaemonSet', daemonSet],
    ['CronJob', cronJob],
    ['Job', job],
  ] as const)('§14.1 report the restart of a %s', async (kind, build) => {
    const harness = new Harness();
    harness.seed(app, build({ name: 'web', ...uses }));
    const { alerts, transport } = alertsOf(harness);
    await harness.start({}, undefined, { alerts });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(30_000);
    const sentence = `Reloader detected changes in app of type CONFIGMAP in namespace default. Hence reloaded web of type ${kind} in namespace default`;
    expect(transport.texts).toEqual([expect.stringContaining(`prod : ${sentence}\nConfigMap app: content changed`)]);
  });

  it.each<[string, WorkloadKindName, string, ObjectInput]>([
    ['an Argo Rollout', 'Rollout', 'CONFIGMAP', rollout({ name: 'web', ...uses })],
    [
      'an Argo Rollout that is restarted in place',
      'Rollout',
      'CONFIGMAP',
      rollout({ name: 'web', ...uses, annotations: inPlace }),
    ],
    ['a DeploymentConfig', 'DeploymentConfig', 'CONFIGMAP', deploymentConfig({ name: 'web', ...uses })],
    [
      'a Deployment that is then paused',
      'Deployment',
      'CONFIGMAP',
      deployment({ name: 'web', ...uses, annotations: paused }),
    ],
    [
      'a workload that mounts rotated secrets',
      'Deployment',
      'SECRETPROVIDERCLASS',
      deployment({ name: 'web', annotations: auto, ...csiVolume('app') }),
    ],
  ])('§14.1, §15, §13 report the restart of %s, as Event and metrics do', async (_what, kind, token, object) => {
    const harness = new Harness({
      customKinds: [rolloutKind, deploymentConfigKind, secretProviderClassKind, secretProviderClassPodStatusKind],
    });
    const mounted = secretProviderClassPodStatus('a', 'app', { pw: '1' });
    harness.seed(app, secretProviderClass('app'), mounted, object);
    await harness.clock.advance(600_000);
    const { alerts, transport } = alertsOf(harness);
    const engine = await harness.start({ csi: true }, undefined, { alerts });
    await harness.clock.advance(10_000);
    if (token === 'CONFIGMAP') await harness.edit('ConfigMap', 'app', { color: 'blue' });
    else {
      const rotated = { status: { objects: [{ id: 'pw', version: '2' }] } };
      const name = 'a-default-app';
      await patchObject(harness.admin, secretProviderClassPodStatuses, 'default', name, rotated, { type: 'merge' });
    }
    // Longer than the pause: the end of the pause must not be reported either.
    await harness.clock.advance(600_000);
    const sentence = `Reloader detected changes in app of type ${token} in namespace default. Hence reloaded web of type ${kind} in namespace default`;
    expect(transport.texts).toEqual([expect.stringContaining(`prod : ${sentence}`)]);
    const events = [...harness.server.store.list(harness.server.kindOf('Event'))];
    expect(events).toEqual([expect.objectContaining({ reason: 'Reloaded', type: 'Normal' })]);
    const text = await engine.metrics.registry.text();
    expect(text).toContain('reloader_reload_executed_total{success="true"} 1');
    expect(text).toContain(`reloader_action_total{workload_kind="${kind}",result="success"} 1`);
    expect(text).toContain(`reloader_workloads_matched_total{kind="${kind}"} 1`);
    const resource = token === 'CONFIGMAP' ? 'configmaps' : 'secretproviderclasspodstatuses';
    expect(text).toContain(`reloader_events_received_total{event_type="update",resource_type="${resource}"} 1`);
  });

  it('§14.1 are not sent if nothing restarts', async () => {
    const harness = new Harness();
    harness.seed(
      app,
      deployment({ name: 'web', ...uses }),
      deployment({ name: 'other', envFrom: [fromConfigMap('app')] }),
    );
    const { alerts, transport } = alertsOf(harness);
    await harness.start({}, undefined, { alerts });
    await harness.label('ConfigMap', 'app', { team: 'blue' });
    await harness.clock.advance(30_000);
    expect(transport.posts).toEqual([]);
  });

  it.each(Object.keys(alertSinks))('contain nothing of a Secret: %s', async (sinkName) => {
    const harness = new Harness();
    harness.seed(
      secret({ name: 'db', data: { password: 'hunter2-before' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromSecret('db')] }),
    );
    const { alerts, transport } = alertsOf(harness, undefined, sinkName);
    await harness.start({}, undefined, { alerts });
    await harness.edit('Secret', 'db', { password: 'hunter2-after', pin: '948261' });
    await harness.clock.advance(30_000);
    expect(transport.texts).toHaveLength(1);
    const text = transport.texts.join();
    expect(text).toContain('Secret db: content changed');
    for (const content of ['hunter2', '948261']) {
      expect(text).not.toContain(content);
      expect(text).not.toContain(Buffer.from(content).toString('base64').slice(0, 6));
    }
  });

  it.each<[string, (() => PostAnswer | Promise<PostAnswer>) | undefined]>([
    ['no receiver', undefined],
    ['a receiver that is broken', () => ({ status: 500, retryAfterMs: undefined })],
    [
      'a transport that throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('delay no restart, with %s', async (_what, answer) => {
    const harness = new Harness();
    const names = Array.from({ length: 40 }, (_, n) => `web-${n}`);
    harness.seed(app, ...names.map((name) => deployment({ name, ...uses })));
    await harness.start({ stages: withoutStages }, undefined, answer ? alertsOf(harness, answer) : {});
    for (const color of ['blue', 'green']) {
      await harness.edit('ConfigMap', 'app', { color });
      // The settle window (1 s), with no time to wait for the receiver.
      await harness.clock.advance(1_100);
    }
    expect(names.map((name) => harness.restarts('Deployment', name))).toEqual(names.map(() => 2));
  });
});
