import { describe, expect, it } from '@jest/globals';
import { rolloutProgress } from './rollout-progress';
import { isReplacingPods, isStartingPods, rolloutStatus } from './rollout-status';
import { workloadKinds } from '../kubernetes/workload-kinds';

interface Parts {
  readonly generation?: number;
  readonly spec?: object;
  readonly status?: object;
}

const counts = {
  Deployment: { replicas: 3, updatedReplicas: 3 },
  StatefulSet: { replicas: 3, updatedReplicas: 3 },
  DaemonSet: { desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3, numberMisscheduled: 0 },
} as const;

function object(kind: keyof typeof counts, { generation = 4, spec = {}, status = {} }: Parts = {}): unknown {
  return { metadata: { generation }, spec, status: { observedGeneration: generation, ...counts[kind], ...status } };
}

const onDelete = { updateStrategy: { type: 'OnDelete' } };
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const partition = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } };

describe('rolloutStatus', () => {
  it.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)('a %s whose pods are all new is complete', (kind) => {
    expect(rolloutStatus(kind, object(kind))).toBe('complete');
    expect(rolloutStatus(kind, object(kind, { spec: { updateStrategy: { type: 'RollingUpdate' } } }))).toBe('complete');
    expect(rolloutStatus(kind, object(kind, { status: { observedGeneration: 5 } }))).toBe('complete');
  });

  it('a DaemonSet with surge is complete once the new pod of each node is alone', () => {
    expect(rolloutStatus('DaemonSet', object('DaemonSet', { spec: surge }))).toBe('complete');
  });

  it.each<[string, keyof typeof counts, Parts]>([
    ['an old pod is left', 'Deployment', { status: { replicas: 4 } }],
    ['an old pod is left', 'StatefulSet', { status: { updatedReplicas: 2 } }],
    ['an old pod is left', 'DaemonSet', { status: { updatedNumberScheduled: 2 } }],
    ['no pod is new', 'Deployment', { status: { updatedReplicas: undefined } }],
    ['it has no pods', 'Deployment', { status: { replicas: 0, updatedReplicas: 0 } }],
    ['it is paused', 'Deployment', { spec: { paused: true } }],
    ['pods wait to be deleted by hand', 'StatefulSet', { spec: onDelete }],
    ['pods wait to be deleted by hand', 'DaemonSet', { spec: onDelete }],
    ['some pods are to stay as they are', 'StatefulSet', { spec: partition }],
    ['with surge, a node has its old pod still', 'DaemonSet', { spec: surge, status: { updatedNumberScheduled: 2 } }],
    ['a pod runs where none should', 'DaemonSet', { status: { numberMisscheduled: 1 } }],
  ])('is progressing when %s: %s', (_, kind, parts) => {
    expect(rolloutStatus(kind, object(kind, parts))).toBe('progressing');
  });

  it.each<[string, keyof typeof counts, Parts]>([
    ['its controller has not seen the template', 'Deployment', { status: { observedGeneration: 3 } }],
    ['its controller has not seen the template', 'StatefulSet', { status: { observedGeneration: 3 } }],
    ['its controller has not seen the template', 'DaemonSet', { status: { observedGeneration: 3 } }],
    ['its controller has seen nothing', 'Deployment', { status: { observedGeneration: undefined } }],
    ['it has no generation', 'Deployment', { generation: 0 }],
  ])('is unseen when %s: %s', (_, kind, parts) => {
    expect(rolloutStatus(kind, object(kind, parts))).toBe('unseen');
  });

  it.each(['Deployment', 'StatefulSet'] as const)('is unknown for a %s scaled to zero', (kind) => {
    expect(rolloutStatus(kind, object(kind, { spec: { replicas: 0 } }))).toBe('unknown');
    expect(rolloutStatus(kind, object(kind, { spec: { replicas: 1 } }))).toBe('complete');
  });

  it('is unknown for other kinds, whatever the status', () => {
    const others = workloadKinds.map(({ kind }) => kind).filter((kind) => !Object.keys(counts).includes(kind));
    expect(others).toEqual(['CronJob', 'Job', 'Rollout', 'DeploymentConfig']);
    for (const kind of others) expect(rolloutStatus(kind, object('Deployment'))).toBe('unknown');
  });
});

describe('isStartingPods', () => {
  const all = {
    ...counts,
    Rollout: { phase: 'Healthy' },
    DeploymentConfig: { replicas: 3, updatedReplicas: 3 },
    Job: {},
  };
  const well = { readyReplicas: 3, availableReplicas: 3, numberAvailable: 3 };
  const failed = { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] };
  const jobFailed = { conditions: [{ type: 'Failed', status: 'True' }] };

  it.each<[boolean, string, keyof typeof all, Parts]>([
    [true, 'an old pod is left', 'Deployment', { status: { replicas: 4 } }],
    [true, 'an old pod is left', 'StatefulSet', { status: { updatedReplicas: 2 } }],
    [true, 'an old pod is left', 'DaemonSet', { status: { updatedNumberScheduled: 2 } }],
    [true, 'its new pods do not become ready in time', 'Deployment', { status: { replicas: 4, ...failed } }],
    [true, 'a pod is not available', 'Deployment', { status: { availableReplicas: 2 } }],
    [true, 'a pod is not ready', 'StatefulSet', { status: { readyReplicas: 2 } }],
    [true, 'a node has no pod yet', 'DaemonSet', { status: { numberAvailable: 2 } }],
    [true, 'its pods crash', 'Deployment', { status: { availableReplicas: 0, ...failed } }],
    [true, 'it is scaled', 'Deployment', { spec: { replicas: 4 } }],
    [true, 'Argo rolls it out', 'Rollout', { status: { phase: 'Progressing' } }],
    [true, 'a pod is not available', 'DeploymentConfig', { status: { availableReplicas: 2 } }],
    [false, 'all pods are new', 'Deployment', {}],
    [false, 'all pods are new', 'StatefulSet', {}],
    [false, 'all pods are new', 'DaemonSet', {}],
    [false, 'all pods are new', 'Rollout', {}],
    [false, 'all pods are new', 'DeploymentConfig', {}],
    [
      false,
      'it is scaled, which its controller has not seen',
      'Deployment',
      { generation: 5, status: { observedGeneration: 4 } },
    ],
    [false, 'its last pods end', 'Deployment', { spec: { replicas: 0 }, status: { updatedReplicas: 0 } }],
    [false, 'it is paused', 'Deployment', { spec: { paused: true }, status: { replicas: 4 } }],
    [false, 'it has failed', 'Job', { status: jobFailed }],
    [false, 'only a person replaces its pods', 'StatefulSet', { spec: onDelete, status: { updatedReplicas: 2 } }],
    [false, 'only a person replaces its pods', 'DaemonSet', { spec: onDelete, status: { updatedNumberScheduled: 2 } }],
  ])('is %s when %s: %s', (starts, _, kind, { generation = 4, spec, status }) => {
    const read = {
      metadata: { generation },
      spec: { replicas: 3, ...spec },
      status: { observedGeneration: generation, ...well, ...all[kind], ...status },
    };
    const [seen, progress] = [rolloutStatus(kind, read), rolloutProgress(kind, read)];
    expect(isStartingPods({ kind, rolloutStatus: seen, progress })).toBe(starts);
  });
});

describe('isReplacingPods', () => {
  it.each<[boolean, string, object]>([
    [true, 'an old pod is left', { updatedReplicas: 2 }],
    [false, 'a pod is not available', { availableReplicas: 2 }],
    [false, 'all pods are new', {}],
  ])('is %s when %s', (replaces, _, status) => {
    const counts = { observedGeneration: 4, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
    const read = { metadata: { generation: 4 }, spec: { replicas: 3 }, status: { ...counts, ...status } };
    const kind = 'Deployment';
    const workload = { kind, rolloutStatus: rolloutStatus(kind, read), progress: rolloutProgress(kind, read) } as const;
    expect(isReplacingPods(workload)).toBe(replaces);
  });
});
