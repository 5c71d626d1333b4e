import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { apiRequest } from './api-request';
import { uniqueRequests } from './audit';
import { assetsDirOf } from './binaries';
import type { ControlPlane } from './cluster';
import { pollUntil } from './poll';
import { isRunning } from './process-identity';
import { grantRerollAccess } from './reroll-access';
import { startControlPlane } from './start';
import { pinnedVersions } from './versions';

let plane: ControlPlane;

const serverNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];

const containers = [{ name: 'main', image: 'example.org/main' }];

const workload = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
});

const job = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    backoffLimit: 0,
    template: { metadata: { labels: { app: name, ...labels } }, spec: { restartPolicy: 'Never', containers } },
  },
});

const apply = async (object: object): Promise<string> =>
  await plane.kubectl(['apply', '-f', '-'], { stdin: stringify(object) });

const get = async (...args: string[]): Promise<string> => await plane.kubectl(['get', ...args]);

const pollPhase = async (app: string, phase: string): Promise<string> =>
  await pollUntil(`the pod of ${app} to be ${phase}`, async () => {
    const phases = await get('pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].status.phase}');
    return phases === phase ? phases : undefined;
  });

/** Every process of this machine whose command line names the folder. */
const processesWith = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });

beforeAll(async () => {
  plane = await startControlPlane();
});

afterAll(async () => {
  await plane.stop();
});

describe('a started control plane', () => {
  it('is the pinned version of Kubernetes', async () => {
    const { serverVersion } = JSON.parse(await plane.kubectl(['version', '-o', 'json']));
    if (assetsDirOf() === undefined) expect(serverVersion.gitVersion).toBe(pinnedVersions().kubernetes);
    else expect(serverVersion.gitVersion).toMatch(/^v1\./);
  });

  it('has two nodes that are ready and untainted', async () => {
    const { items } = JSON.parse(await get('nodes', '-o', 'json'));
    expect(items).toMatchObject([{ metadata: { name: 'node-0' } }, { metadata: { name: 'node-1' } }]);
    for (const node of items) {
      expect(node.spec.taints).toBeUndefined();
      expect(node.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
    }
  });

  it.each([
    ['Deployment', { replicas: 3 }, 3],
    ['StatefulSet', { replicas: 2, serviceName: 'none' }, 2],
    ['DaemonSet', {}, 2],
  ])('rolls out a %s, and rolls it out again', async (kind, spec, replicas) => {
    const name = kind.toLowerCase();
    await apply(workload(kind, name, spec));
    await plane.kubectl(['rollout', 'status', kind, name, '--timeout=60s']);
    const ready = async (): Promise<string> =>
      await get('pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}');
    await expect(ready()).resolves.toBe(Array(replicas).fill('True').join(' '));

    await plane.kubectl(['rollout', 'restart', kind, name]);
    await plane.kubectl(['rollout', 'status', kind, name, '--timeout=60s']);
    await expect(get(kind, name, '-o', 'jsonpath={.status.observedGeneration}')).resolves.toBe('2');
  });

  it('completes a Job', async () => {
    await apply(job('job'));
    await plane.kubectl(['wait', '--for=condition=complete', 'job/job', '--timeout=60s']);
    await pollPhase('job', 'Succeeded');
  });

  it('runs the Job of a CronJob', async () => {
    const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
    await apply({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cronjob' },
      spec: { schedule: '* * * * *', jobTemplate },
    });
    await plane.kubectl(['create', 'job', 'from-cronjob', '--from=cronjob/cronjob']);
    await plane.kubectl(['wait', '--for=condition=complete', 'job/from-cronjob', '--timeout=60s']);
    await expect(get('cronjob', 'cronjob', '-o', 'jsonpath={.spec.schedule}')).resolves.toBe('* * * * *');
  });
});

describe('pods that do not become ready', () => {
  it('crash, so that a rollout gets stuck', async () => {
    await apply(
      workload('Deployment', 'crashing', {
        replicas: 1,
        template: {
          metadata: { labels: { app: 'crashing', 'control-plane.e2e/pod': 'crash-loop' } },
          spec: { containers },
        },
      }),
    );
    await pollPhase('crashing', 'Running');
    const status = await get('pods', '-l', 'app=crashing', '-o', 'jsonpath={.items[*].status.containerStatuses[0]}');
    expect(JSON.parse(status)).toMatchObject({ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    await expect(get('deployment', 'crashing', '-o', 'jsonpath={.status.unavailableReplicas}')).resolves.toBe('1');
  });

  it('fail, so that a Job fails', async () => {
    await apply(job('failing', { 'control-plane.e2e/pod': 'failed' }));
    await plane.kubectl(['wait', '--for=condition=failed', 'job/failing', '--timeout=60s']);
    await pollPhase('failing', 'Failed');
  });

  it('keep running, so that a Job does not complete', async () => {
    await apply(job('running', { 'control-plane.e2e/pod': 'keeps-running' }));
    await apply(job('later'));
    await pollPhase('running', 'Running');
    // A Job that was created later completes, so KWOK had time to complete the first one too.
    await plane.kubectl(['wait', '--for=condition=complete', 'job/later', '--timeout=60s']);
    await pollPhase('running', 'Running');
    await expect(get('job', 'running', '-o', 'jsonpath={.status.active}')).resolves.toBe('1');
  });
});

describe('users', () => {
  const canI = async (kubeconfig: string, ...args: string[]): Promise<boolean> => {
    try {
      return (await plane.kubectl(['--kubeconfig', kubeconfig, 'auth', 'can-i', ...args])).trim() === 'yes';
    } catch {
      return false;
    }
  };

  it('have no rights of their own', async () => {
    await expect(canI(await plane.kubeconfigFor('jane'), 'list', 'pods')).resolves.toBe(false);
  });

  it('have the rights of their groups', async () => {
    await expect(canI(await plane.kubeconfigFor('jane', ['system:masters']), 'list', 'pods')).resolves.toBe(true);
  });

  it('reroll gets what it needs and no more', async () => {
    await grantRerollAccess(plane, {
      extraRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
    });
    const kubeconfig = await plane.kubeconfigFor('reroll');
    const verdicts = await Promise.all(
      [
        ['patch', 'deployments.apps', '-A'],
        ['watch', 'secrets', '-A'],
        ['delete', 'jobs.batch', '-A'],
        ['create', 'events', '-A'],
        ['update', 'leases.coordination.k8s.io', '-n', 'reroll'],
        ['update', 'secrets', '-n', 'reroll'],
        ['list', 'pods', '-A'],
        ['update', 'secrets', '-n', 'default'],
        ['update', 'leases.coordination.k8s.io', '-n', 'default'],
        ['delete', 'deployments.apps', '-A'],
        ['patch', 'configmaps', '-A'],
        ['list', 'nodes'],
      ].map(async (args) => await canI(kubeconfig, ...args)),
    );
    expect(verdicts).toEqual([true, true, true, true, true, true, true, false, false, false, false, false]);
  });
});

describe('the audit log', () => {
  it('tells the requests of reroll apart', async () => {
    const endpoint = { url: plane.apiServerUrl, caPem: plane.caPem, identity: plane.reroll };
    const before = uniqueRequests(await plane.auditEntries({ user: 'reroll' })).length;
    await apiRequest(endpoint, 'GET', '/api/v1/namespaces/default/configmaps');
    await apiRequest(endpoint, 'GET', '/api/v1/nodes');
    const entries = uniqueRequests(await plane.auditEntries({ user: 'reroll' })).slice(before);
    expect(
      entries.map(({ verb, objectRef, responseStatus }) => [verb, objectRef?.resource, responseStatus?.code]),
    ).toEqual([
      ['list', 'configmaps', 200],
      ['list', 'nodes', 403],
    ]);
  });
});

describe.each(['SIGTERM', 'SIGKILL'] as const)('an API server that is ended by %s', (signal) => {
  it('is away, and back with the same data', async () => {
    await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { by: signal } });
    await plane.stopApiServer(signal);
    expect(plane.servers.map(({ name }) => name)).not.toContain('kube-apiserver');
    const endpoint = { url: plane.apiServerUrl, caPem: plane.caPem, identity: plane.admin };
    await expect(apiRequest(endpoint, 'GET', '/readyz')).rejects.toThrow('ECONNREFUSED');

    await plane.startApiServer();
    await expect(get('configmap', 'kept', '-o', 'jsonpath={.data.by}')).resolves.toBe(signal);
    await plane.kubectl(['rollout', 'restart', 'deployment', 'deployment']);
    await plane.kubectl(['rollout', 'status', 'deployment', 'deployment', '--timeout=60s']);
  });
});

describe('a stopped control plane', () => {
  it('leaves no process and no file', async () => {
    const { servers, logDir } = plane;
    expect(servers.map(({ name }) => name).sort()).toEqual(serverNames);
    if (process.platform === 'linux') expect(processesWith(logDir)).toHaveLength(serverNames.length);

    await Promise.all([plane.stop(), plane.stop()]);
    expect(servers.filter(isRunning)).toEqual([]);
    if (process.platform === 'linux') expect(processesWith(logDir)).toEqual([]);
    expect(existsSync(logDir)).toBe(false);
  });
});
