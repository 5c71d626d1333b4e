import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  secret,
  statefulSet,
} from '../apiserver/cluster';
import { uniqueRequests } from '../control-plane/audit';
import { rerollUser, type Cluster } from '../control-plane/cluster';
import { openCluster } from '../control-plane/open-cluster';
import { pollUntil } from '../control-plane/poll';
import { grantRerollAccess } from '../control-plane/reroll-access';
import { RerollProcess } from '../reroll-process';

const namespace = 'shop';
const auto = { 'reloader.stakater.com/auto': 'true' };

let cluster: Cluster;
let reroll: RerollProcess;

const kubectl = async (...args: string[]): Promise<string> => await cluster.kubectl(['-n', namespace, ...args]);

const apply = async (...objects: object[]): Promise<void> => {
  const stdin = objects.map((object) => stringify(object)).join('---\n');
  await cluster.kubectl(['apply', '-f', '-'], { stdin });
};

const field = async (object: string, path: string): Promise<string> =>
  await kubectl('get', object, '-o', `jsonpath={${path}}`);

const uidsOf = async (app: string): Promise<string[]> =>
  (await kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].metadata.uid}'))
    .split(' ')
    .filter(Boolean);

const startReroll = async (): Promise<RerollProcess> => {
  const started = new RerollProcess({
    args: [
      'reconciler',
      '--kubeconfig',
      await cluster.kubeconfigFor(rerollUser),
      '--own-namespace',
      'reroll',
      '--listen',
      '127.0.0.1:0',
      '--log-format',
      'json',
      '--log-level',
      'debug',
    ],
    env: { POD_NAME: 'reroll-0' },
  });
  await started.line(({ message }) => message === 'started leading');
  return started;
};

const baselineOf = async (object: string): Promise<string> =>
  await field(object, '.metadata.annotations.reroll\\.dev/baseline');

const adopted = async (...objects: string[]): Promise<void> => {
  for (const object of objects) {
    await pollUntil(`a baseline on ${object}`, async () => ((await baselineOf(object)) === '' ? undefined : true));
  }
};

beforeAll(async () => {
  cluster = await openCluster({});
  await grantRerollAccess(cluster);
  await cluster.kubectl(['create', 'namespace', namespace]);
  reroll = await startReroll();
});

afterAll(async () => {
  await reroll.end();
  await cluster.stop();
});

const rolledKinds = [
  ['Deployment', 'deployment', deployment],
  ['StatefulSet', 'statefulset', statefulSet],
  ['DaemonSet', 'daemonset', daemonSet],
] as const;

describe('on a real control plane', () => {
  it.each(rolledKinds)('a %s is rolled: its pods are replaced', async (kind, resource, build) => {
    const name = `rolled-${resource}`;
    const labels = { podLabels: { app: name } };
    await apply(
      configMap({ name, namespace, data: { color: 'red' } }),
      build({ name, namespace, annotations: auto, envFrom: [fromConfigMap(name)], ...labels }),
    );
    await kubectl('rollout', 'status', `${resource}/${name}`, '--timeout=60s');
    await adopted(`${resource}/${name}`);
    const before = await uidsOf(name);
    expect(before.length).toBeGreaterThan(0);
    await kubectl('patch', 'configmap', name, '--type=merge', '-p', '{"data":{"color":"blue"}}');
    await reroll.line(({ message }) => message === `${kind} ${namespace}/${name} restarted`);
    await kubectl('rollout', 'status', `${resource}/${name}`, '--timeout=60s');
    await pollUntil(`the old pods of ${name} to be gone`, async () => {
      const now = await uidsOf(name);
      return now.length === before.length && now.every((uid) => !before.includes(uid)) ? true : undefined;
    });
    expect(await field(`${resource}/${name}`, '.spec.template.spec.containers[0].env[0].name')).toBe(
      `STAKATER_ROLLED_${resource.toUpperCase()}_CONFIGMAP`,
    );
  });

  it('the old ReplicaSet is scaled down, and there is one new one', async () => {
    const sets: readonly { readonly spec: { readonly replicas: number } }[] = JSON.parse(
      await kubectl('get', 'replicasets', '-l', 'app=rolled-deployment', '-o', 'json'),
    ).items;
    expect(sets.map((set) => set.spec.replicas).toSorted()).toEqual([0, 1]);
  });

  it('a Job is created anew, and completes', async () => {
    await apply(
      configMap({ name: 'migrate', namespace, data: { step: '1' } }),
      job({ name: 'migrate', namespace, annotations: auto, envFrom: [fromConfigMap('migrate')] }),
    );
    await kubectl('wait', '--for=condition=complete', 'job/migrate', '--timeout=60s');
    await adopted('job/migrate');
    const uid = await field('job/migrate', '.metadata.uid');
    await kubectl('patch', 'configmap', 'migrate', '--type=merge', '-p', '{"data":{"step":"2"}}');
    await reroll.line(({ message }) => message === `Job ${namespace}/migrate recreated`);
    expect(await field('job/migrate', '.metadata.uid')).not.toBe(uid);
    await kubectl('wait', '--for=condition=complete', 'job/migrate', '--timeout=60s');
    expect(await field('job/migrate', '.spec.template.spec.containers[0].env[0].name')).toBe(
      'STAKATER_MIGRATE_CONFIGMAP',
    );
    const journal = await cluster.kubectl([
      '-n',
      'reroll',
      'get',
      'secrets',
      '-l',
      'reroll.dev/journal=job',
      '-o',
      'name',
    ]);
    expect(journal).toBe('');
  });

  it('a CronJob is run at once, as a Job that completes', async () => {
    await apply(
      configMap({ name: 'report', namespace, data: { to: 'a' } }),
      cronJob({ name: 'report', namespace, annotations: auto, envFrom: [fromConfigMap('report')] }),
    );
    await adopted('cronjob/report');
    await kubectl('patch', 'configmap', 'report', '--type=merge', '-p', '{"data":{"to":"b"}}');
    const { message } = await reroll.line((entry) =>
      entry.message.startsWith(`CronJob ${namespace}/report run as Job`),
    );
    const name = message.split(' ').at(-1) ?? '';
    await kubectl('wait', '--for=condition=complete', `job/${name}`, '--timeout=60s');
    expect(await field(`job/${name}`, '.metadata.ownerReferences[0].name')).toBe('report');
    await pollUntil('the baseline of the CronJob', async () =>
      JSON.parse(await baselineOf('cronjob/report')).n === 2 ? true : undefined,
    );
    const jobs = await kubectl('get', 'jobs', '-o', 'name');
    expect(jobs.split('\n').filter((each) => each.includes('report-'))).toHaveLength(1);
  });

  it('one change costs one PATCH and one Event for each workload that uses it', async () => {
    const names = ['cost-a', 'cost-b', 'cost-c'];
    await apply(
      secret({ name: 'cost', namespace, data: { password: 'one' } }),
      ...names.map((name) => deployment({ name, namespace, annotations: auto, envFrom: [fromSecret('cost')] })),
    );
    for (const name of names) await kubectl('rollout', 'status', `deployment/${name}`, '--timeout=60s');
    await adopted(...names.map((name) => `deployment/${name}`));
    const auditBefore = await cluster.auditEntries({ user: rerollUser });
    await kubectl('patch', 'secret', 'cost', '--type=merge', '-p', '{"stringData":{"password":"two"}}');
    for (const name of names)
      await reroll.line(({ message }) => message === `Deployment ${namespace}/${name} restarted`);
    for (const name of names) await kubectl('rollout', 'status', `deployment/${name}`, '--timeout=60s');
    await pollUntil('three Events', async () => {
      const events = await kubectl(
        'get',
        'events',
        '--field-selector',
        'reason=Reloaded',
        '-o',
        'jsonpath={.items[*].involvedObject.name}',
      );
      return names.every((name) => events.split(' ').includes(name)) ? true : undefined;
    });
    const auditAfter = await cluster.auditEntries({ user: rerollUser });
    // The audit log of an existing cluster cannot be read.
    if (!auditBefore || !auditAfter) return;
    const count = (entries: typeof auditAfter): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const { verb, objectRef } of uniqueRequests(entries)) {
        // Leases and the history are written on clocks of their own, however many workloads restart.
        const isHistory = objectRef?.resource === 'configmaps' && objectRef.namespace === 'reroll';
        if (objectRef?.resource === 'leases' || isHistory || verb === 'watch') continue;
        const request = `${verb} ${objectRef?.resource ?? ''}`;
        counts.set(request, (counts.get(request) ?? 0) + 1);
      }
      return counts;
    };
    const [before, after] = [count(auditBefore), count(auditAfter)];
    const spent = [...after]
      .map(([request, n]) => [request, n - (before.get(request) ?? 0)] as const)
      .filter(([, n]) => n > 0);
    expect(Object.fromEntries(spent)).toEqual({ 'patch deployments': 3, 'create events': 3 });
  });

  it('a key that is not in use restarts nothing', async () => {
    await apply(
      configMap({ name: 'keys', namespace, data: { used: '1', unused: '1' } }),
      deployment({ name: 'keys', namespace, annotations: auto, env: [envFromKey('ConfigMap', 'keys', 'used')] }),
    );
    await adopted('deployment/keys');
    await kubectl('patch', 'configmap', 'keys', '--type=merge', '-p', '{"data":{"unused":"2"}}');
    await reroll.line(({ message }) => message === `Deployment ${namespace}/keys not restarted`);
    expect(await field('deployment/keys', '.spec.template.spec.containers[0].env[*].name')).toBe('USED');
  });

  it('a variable of the same name that takes its value from elsewhere is replaced', async () => {
    await apply(
      configMap({ name: 'taken', namespace, data: { a: '1' } }),
      deployment({
        name: 'taken',
        namespace,
        annotations: auto,
        env: [envFromKey('ConfigMap', 'taken', 'a', 'STAKATER_TAKEN_CONFIGMAP')],
      }),
    );
    await adopted('deployment/taken');
    await kubectl('patch', 'configmap', 'taken', '--type=merge', '-p', '{"data":{"a":"2"}}');
    await reroll.line(({ message }) => message === `Deployment ${namespace}/taken restarted`);
    expect(await field('deployment/taken', '.spec.template.spec.containers[0].env[0]')).toMatch(
      /^\{"name":"STAKATER_TAKEN_CONFIGMAP","value":"[^"]+"\}$/,
    );
  });

  it('kill -9, a change meanwhile, and the return: found, one restart', async () => {
    await reroll.end('SIGKILL');
    const generation = Number(await field('deployment/rolled-deployment', '.metadata.generation'));
    await kubectl('patch', 'configmap', 'rolled-deployment', '--type=merge', '-p', '{"data":{"color":"green"}}');
    reroll = await startReroll();
    await reroll.line(({ message }) => message === `Deployment ${namespace}/rolled-deployment restarted`);
    await kubectl('rollout', 'status', 'deployment/rolled-deployment', '--timeout=60s');
    expect(Number(await field('deployment/rolled-deployment', '.metadata.generation'))).toBe(generation + 1);
    // Nothing else was restarted.
    expect(
      reroll.lines.filter(({ message }) => /^\S+ \S+ (restarted|recreated|run as Job)/.test(message)),
    ).toHaveLength(1);
  });

  it('SIGTERM: drains within ten seconds with exit code 0 and gives the lease back', async () => {
    const startedMs = Date.now();
    expect(await reroll.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    expect(
      await cluster.kubectl(['-n', 'reroll', 'get', 'lease', 'reroll', '-o', 'jsonpath={.spec.holderIdentity}']),
    ).toBe('');
  });
});
