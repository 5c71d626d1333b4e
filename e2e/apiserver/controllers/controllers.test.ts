import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../../shared/runtime/fake-clock';

import type { AdmissionRequest, AdmissionResponse } from '../admission';
import { ApiServer } from '../api-server';
import { configMap, cronJob, daemonSet, deployment, fromConfigMap, job, seed, statefulSet } from '../cluster';
import { arrayAt, numberAt, objectAt, stringAt, withValueAt, type JsonObject } from '../json';
import type { KubeObject } from '../objects';
import { writeBy } from '../registry';
import type { PropagationPolicy } from '../stored-object';
import {
  cronJobKind,
  daemonSetKind,
  deploymentKind,
  jobKind,
  namespaceKind,
  podKind,
  replicaSetKind,
  type ResourceKind,
  statefulSetKind,
} from '../resources';
import { seededRandom } from '../seeded-random';
import { type ControllerName, Controllers, type ControllersOptions } from './controllers';

function cluster(options: ControllersOptions = {}) {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(7) });
  const controllers = new Controllers(server, options);
  controllers.start();
  const all = (kind: ResourceKind): KubeObject[] => [...server.store.list(kind)];
  const get = (kind: ResourceKind, name: string): KubeObject => server.registry.get(kind, 'default', name);
  const change = async (kind: ResourceKind, name: string, edit: (object: JsonObject) => JsonObject): Promise<void> => {
    await server.registry.update(writeBy('dev', 'kubectl', 'patch'), kind, 'default', name, (current) => ({
      object: edit(current),
    }));
  };
  const remove = async (kind: ResourceKind, name: string, propagationPolicy?: PropagationPolicy): Promise<void> => {
    await server.registry.delete(writeBy('dev', 'kubectl', 'delete'), kind, 'default', name, { propagationPolicy });
  };
  return { clock, server, controllers, all, get, change, remove };
}

const restart = (object: JsonObject): JsonObject =>
  withValueAt(object, ['spec', 'template', 'metadata', 'annotations', 'restarted'], 'now');

describe('deployment controller', () => {
  it('makes a ReplicaSet with the annotations of the Deployment, and its pods', async () => {
    const { server, clock, all, get } = cluster();
    seed(server, deployment({ name: 'web', replicas: 3, annotations: { team: 'blue' } }));
    await clock.advance(10_000);
    const [set] = all(replicaSetKind);
    expect(set?.metadata.annotations).toMatchObject({ team: 'blue', 'deployment.kubernetes.io/revision': '1' });
    expect(all(podKind)).toHaveLength(3);
    const web = get(deploymentKind, 'web');
    expect(objectAt(web, 'status')).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
    });
    expect(web.metadata.generation).toBe(1);
  });

  it('rolls within surge and availability, and keeps the old ReplicaSet empty', async () => {
    const { server, clock, all, get, change } = cluster();
    seed(server, deployment({ name: 'web', replicas: 4 }));
    await clock.advance(10_000);
    let fewest = Infinity;
    let most = 0;
    server.store.subscribe(() => {
      const wanted = all(replicaSetKind).map((set) => numberAt(set, 'spec', 'replicas') ?? 0);
      most = Math.max(
        most,
        wanted.reduce((left, right) => left + right),
      );
      fewest = Math.min(fewest, all(podKind).filter((pod) => stringAt(pod, 'status', 'phase') === 'Running').length);
    });
    await change(deploymentKind, 'web', restart);
    await clock.advance(60_000);
    expect(most).toBe(5);
    expect(fewest).toBe(3);
    expect(
      all(replicaSetKind)
        .map((set) => numberAt(set, 'spec', 'replicas'))
        .sort(),
    ).toEqual([0, 4]);
    expect(get(deploymentKind, 'web').metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    expect(objectAt(get(deploymentKind, 'web'), 'status')).toMatchObject({
      observedGeneration: 2,
      updatedReplicas: 4,
      replicas: 4,
    });
  });

  it('does not roll while paused', async () => {
    const { server, clock, all, change } = cluster();
    seed(server, deployment({ name: 'web', spec: { paused: true } }));
    await clock.advance(10_000);
    expect(all(replicaSetKind)).toHaveLength(0);
    await change(deploymentKind, 'web', (web) => withValueAt(web, ['spec', 'paused'], false));
    await clock.advance(10_000);
    expect(all(replicaSetKind)).toHaveLength(1);
  });

  it('takes all old pods down first when the strategy is Recreate', async () => {
    const { server, clock, all, change } = cluster();
    seed(server, deployment({ name: 'web', replicas: 2, spec: { strategy: { type: 'Recreate' } } }));
    await clock.advance(10_000);
    let most = 0;
    server.store.subscribe(() => (most = Math.max(most, all(podKind).length)));
    await change(deploymentKind, 'web', restart);
    await clock.advance(60_000);
    expect(most).toBe(2);
    expect(all(podKind)).toHaveLength(2);
  });

  it('keeps no more old ReplicaSets than revisionHistoryLimit', async () => {
    const { server, clock, all, change } = cluster();
    seed(server, deployment({ name: 'web', spec: { revisionHistoryLimit: 1 } }));
    for (const round of ['1', '2', '3']) {
      await change(deploymentKind, 'web', (web) =>
        withValueAt(web, ['spec', 'template', 'metadata', 'annotations', 'round'], round),
      );
      await clock.advance(30_000);
    }
    expect(all(replicaSetKind)).toHaveLength(2);
  });
});

describe('controller loop', () => {
  it('looks again at what was refused', async () => {
    const clock = new FakeClock();
    let refusals = 2;
    const review = ({ kind }: AdmissionRequest): AdmissionResponse => ({
      allowed: kind !== podKind || refusals-- <= 0,
    });
    const server = new ApiServer({ clock, random: seededRandom(7), admission: [{ name: 'hook.test', review }] });
    new Controllers(server).start();
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    expect(server.store.count(podKind)).toBe(1);
  });
});

describe('other workloads', () => {
  it('replaces the pods of a StatefulSet one by one from the highest', async () => {
    const { server, clock, all, change } = cluster();
    seed(server, statefulSet({ name: 'db', replicas: 3 }));
    await clock.advance(20_000);
    expect(all(podKind).map((pod) => pod.metadata.name)).toEqual(['db-0', 'db-1', 'db-2']);
    const deleted: string[] = [];
    server.store.subscribe((record) => {
      if (record.kind === podKind && record.type === 'DELETED') deleted.push(record.object.metadata.name);
    });
    await change(statefulSetKind, 'db', restart);
    await clock.advance(60_000);
    expect(deleted).toEqual(['db-2', 'db-1', 'db-0']);
    const status = objectAt(server.registry.get(statefulSetKind, 'default', 'db'), 'status');
    expect(status).toMatchObject({ updatedReplicas: 3, readyReplicas: 3, observedGeneration: 2 });
    expect(status['currentRevision']).toBe(status['updateRevision']);
  });

  it('keeps a pod of a DaemonSet on each node and replaces one at a time', async () => {
    const { server, clock, all, change } = cluster();
    seed(server, daemonSet({ name: 'agent' }));
    await clock.advance(10_000);
    expect(
      all(podKind)
        .map((pod) => stringAt(pod, 'spec', 'nodeName'))
        .sort(),
    ).toEqual(['node-a', 'node-b']);
    let fewest = 2;
    server.store.subscribe(() => (fewest = Math.min(fewest, all(podKind).length)));
    await change(daemonSetKind, 'agent', restart);
    await clock.advance(60_000);
    expect(fewest).toBe(1);
    expect(objectAt(all(daemonSetKind)[0], 'status')).toMatchObject({ updatedNumberScheduled: 2, numberReady: 2 });
  });

  it('completes a Job', async () => {
    const { server, clock, get } = cluster({ jobDurationMs: 3_000 });
    seed(server, job({ name: 'migrate', spec: { completions: 2 } }));
    await clock.advance(3_000);
    expect(numberAt(get(jobKind, 'migrate'), 'status', 'succeeded')).toBeUndefined();
    await clock.advance(20_000);
    const status = objectAt(get(jobKind, 'migrate'), 'status');
    expect(status['succeeded']).toBe(2);
    expect(arrayAt(status, 'conditions').map((condition) => stringAt(condition, 'type'))).toEqual([
      'SuccessCriteriaMet',
      'Complete',
    ]);
    expect(status['completionTime']).toBeDefined();
  });

  it('runs a CronJob when told, and not before', async () => {
    const { server, clock, controllers, all } = cluster();
    seed(server, cronJob({ name: 'report' }));
    await clock.advance(3_600_000);
    expect(all(jobKind)).toHaveLength(0);
    await controllers.runCronJobNow('default', 'report');
    expect(all(jobKind)[0]?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'CronJob', name: 'report' });
    expect(stringAt(all(cronJobKind)[0], 'status', 'lastScheduleTime')).toBeDefined();
  });
});

describe('kubelet', () => {
  it('remembers which content a pod started with', async () => {
    const { server, clock, controllers, all } = cluster();
    seed(server, configMap({ name: 'settings', data: { level: 'info' } }));
    seed(server, deployment({ name: 'web', envFrom: [fromConfigMap('settings')] }));
    await clock.advance(5_000);
    const sources = controllers.podSources().get(all(podKind)[0]?.metadata.uid ?? '');
    expect(objectAt(sources?.get('configmaps/settings'), 'data')).toEqual({ level: 'info' });
  });

  it('starts a pod only when its ConfigMap is there, unless that is optional', async () => {
    const { server, clock, controllers } = cluster();
    seed(server, deployment({ name: 'web', envFrom: [fromConfigMap('settings')] }));
    seed(server, deployment({ name: 'api', envFrom: [fromConfigMap('settings', true)] }));
    await clock.advance(5_000);
    expect(controllers.podSources().size).toBe(1);
    seed(server, configMap({ name: 'settings', data: {} }));
    await clock.advance(5_000);
    expect(controllers.podSources().size).toBe(2);
  });

  it('makes pods ready after readyDelayMs', async () => {
    const { server, clock, get } = cluster({ readyDelayMs: 30_000 });
    seed(server, deployment({ name: 'web' }));
    await clock.advance(29_000);
    expect(numberAt(get(deploymentKind, 'web'), 'status', 'availableReplicas')).toBeUndefined();
    await clock.advance(2_000);
    expect(numberAt(get(deploymentKind, 'web'), 'status', 'availableReplicas')).toBe(1);
  });
});

describe('deletion', () => {
  it('takes the owned objects with it in the background', async () => {
    const { server, clock, all, remove } = cluster();
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    await remove(deploymentKind, 'web');
    await clock.advance(5_000);
    expect([...all(replicaSetKind), ...all(podKind)]).toEqual([]);
  });

  it('removes the owner last in the foreground', async () => {
    const { server, clock, all, remove } = cluster();
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    const order: string[] = [];
    server.store.subscribe(({ type, kind }) => type === 'DELETED' && order.push(kind.kind));
    await remove(deploymentKind, 'web', 'Foreground');
    expect(all(deploymentKind)[0]?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await clock.advance(5_000);
    expect(order.at(-1)).toBe('Deployment');
    expect(new Set(order)).toEqual(new Set(['Deployment', 'ReplicaSet', 'Pod']));
  });

  it('leaves the pods of a Job when nothing else is asked', async () => {
    const { server, clock, all, remove } = cluster();
    seed(server, job({ name: 'migrate' }));
    await clock.advance(1_000);
    await remove(jobKind, 'migrate');
    await clock.advance(5_000);
    expect(all(jobKind)).toEqual([]);
    expect(all(podKind)[0]?.metadata.ownerReferences).toBeUndefined();
  });

  it('collects what is made for an owner that is gone', async () => {
    const { server, clock, all } = cluster();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'no-such-uid' };
    seed(server, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'left', ownerReferences: [owner] } });
    await clock.advance(1_000);
    expect(all(server.kindOf('ConfigMap'))).toEqual([]);
  });

  it('knows what belongs to whom after a restore of etcd', async () => {
    const { server, clock, all, remove } = cluster();
    seed(server, deployment({ name: 'web' }));
    await clock.advance(10_000);
    const { revision } = server.store;
    await remove(deploymentKind, 'web', 'Foreground');
    await clock.advance(10_000);
    expect(all(replicaSetKind)).toEqual([]);
    server.restore(revision);
    await remove(deploymentKind, 'web', 'Foreground');
    await clock.advance(10_000);
    expect([deploymentKind, replicaSetKind, podKind].flatMap(all)).toEqual([]);
  });

  it('empties a namespace before it goes', async () => {
    const { server, clock, all } = cluster();
    seed(server, deployment({ name: 'web', namespace: 'shop' }), configMap({ name: 'a', namespace: 'shop' }));
    await clock.advance(5_000);
    await server.registry.delete(writeBy('dev', 'kubectl', 'delete'), namespaceKind, undefined, 'shop', {});
    expect(stringAt(server.registry.get(namespaceKind, undefined, 'shop'), 'status', 'phase')).toBe('Terminating');
    await clock.advance(5_000);
    expect(all(namespaceKind).map(({ metadata }) => metadata.name)).not.toContain('shop');
    expect(all(podKind)).toEqual([]);
  });
});

describe('switches', () => {
  it.each<[ControllerName, ResourceKind]>([
    ['deployment-controller', replicaSetKind],
    ['replicaset-controller', podKind],
  ])('does nothing without %s', async (name, kind) => {
    const { server, clock, all } = cluster({ without: [name] });
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    expect(all(kind)).toEqual([]);
  });

  it('starts no pods without the kubelet', async () => {
    const { server, clock, controllers } = cluster({ without: ['kubelet'] });
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    expect(controllers.podSources().size).toBe(0);
  });

  it('reacts after reactionMs', async () => {
    const { server, clock, all } = cluster({ reactionMs: 5_000 });
    seed(server, deployment({ name: 'web' }));
    await clock.advance(4_999);
    expect(all(replicaSetKind)).toEqual([]);
    await clock.advance(1);
    expect(all(replicaSetKind)).toHaveLength(1);
  });

  it('does nothing after stop', async () => {
    const { server, clock, controllers, all } = cluster();
    controllers.stop();
    seed(server, deployment({ name: 'web' }));
    await clock.advance(5_000);
    expect(all(replicaSetKind)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
