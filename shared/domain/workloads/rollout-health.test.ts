import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { workloadKinds, type WorkloadKindName } from '../kubernetes/workload-kinds';
import { rolloutHealth } from './rollout-health';

interface Row {
  readonly what: string;
  readonly spec?: object;
  readonly status?: object;
  /** The state, and what is missing. */
  readonly is: string;
}

const seen = { observedGeneration: 3 };
const all = { ...seen, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
const unseen = 'rolling: the controller has not seen the new template yet';
const late = { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] };
const onDelete = { updateStrategy: { type: 'OnDelete' } };
const partition = (pods: number) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: pods } } });
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const scheduled = { ...seen, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 };

const deploymentRows: readonly Row[] = [
  { what: 'all pods are new and available', status: all, is: 'healthy' },
  { what: 'the controller has not looked yet', status: { ...all, observedGeneration: 2 }, is: unseen },
  { what: 'there is no status', is: unseen },
  { what: 'a pod is not updated', status: { ...all, updatedReplicas: 2 }, is: 'rolling: 2 of 3 pods are updated' },
  {
    what: 'a pod is not available',
    status: { ...all, availableReplicas: 2 },
    is: 'rolling: 2 of 3 pods are available',
  },
  { what: 'none is available', status: { ...all, availableReplicas: undefined }, is: 'rolling: 0 of 3 pods are available' }, // prettier-ignore
  { what: 'an old pod is left', status: { ...all, replicas: 4 }, is: 'rolling: 1 old pod is left' },
  { what: 'old pods are left', status: { ...all, replicas: 6 }, is: 'rolling: 3 old pods are left' },
  { what: 'the progress deadline is exceeded', status: { ...all, availableReplicas: 1, ...late }, is: 'failed: 1 of 3 pods are available, and its progress deadline is exceeded' }, // prettier-ignore
  { what: 'the deadline of an earlier rollout was exceeded', status: { ...all, ...late, observedGeneration: 2 }, is: unseen }, // prettier-ignore
  { what: 'another condition says no', status: { ...all, conditions: [{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }] }, is: 'healthy' }, // prettier-ignore
  { what: 'it is paused before its pods are replaced', spec: { paused: true }, status: { ...all, updatedReplicas: 0 }, is: 'held: 0 of 3 pods are updated' }, // prettier-ignore
  { what: 'it is paused, and an earlier rollout has failed', spec: { paused: true }, status: { ...all, updatedReplicas: 0, ...late }, is: 'held: 0 of 3 pods are updated' }, // prettier-ignore
  { what: 'it is paused after its pods were replaced', spec: { paused: true }, status: all, is: 'healthy' },
  { what: 'it has no replicas', spec: { replicas: 0 }, status: seen, is: 'healthy' },
  { what: 'it has no replicas, and the controller has not looked yet', spec: { replicas: 0 }, status: {}, is: unseen },
  { what: 'it is scaled to none, and a pod still ends', spec: { replicas: 0 }, status: { ...seen, replicas: 1 }, is: 'rolling: 1 old pod is left' }, // prettier-ignore
];

const rows: Partial<Record<WorkloadKindName, readonly Row[]>> = {
  Deployment: deploymentRows,
  DeploymentConfig: deploymentRows,
  StatefulSet: [
    { what: 'all pods are new and ready', status: all, is: 'healthy' },
    { what: 'the controller has not looked yet', status: { ...all, observedGeneration: 2 }, is: unseen },
    { what: 'a pod is not ready', status: { ...all, readyReplicas: 2 }, is: 'rolling: 2 of 3 pods are ready' },
    { what: 'a pod is not updated', status: { ...all, updatedReplicas: 2 }, is: 'rolling: 2 of 3 pods are updated' },
    { what: 'the pods above the partition are new', spec: partition(2), status: { ...all, updatedReplicas: 1 }, is: 'healthy' }, // prettier-ignore
    { what: 'a pod above the partition is not', spec: partition(1), status: { ...all, updatedReplicas: 1 }, is: 'rolling: 1 of 2 pods are updated' }, // prettier-ignore
    { what: 'the partition leaves all as they are', spec: partition(3), status: { ...all, updatedReplicas: 0 }, is: 'healthy' }, // prettier-ignore
    { what: 'somebody deletes its pods', spec: onDelete, status: all, is: 'unknown' },
    { what: 'it has no replicas', spec: { replicas: 0 }, status: seen, is: 'healthy' },
  ],
  DaemonSet: [
    { what: 'all pods are new and available', status: scheduled, is: 'healthy' },
    { what: 'the controller has not looked yet', status: { ...scheduled, observedGeneration: 2 }, is: unseen },
    { what: 'a pod is not updated', status: { ...scheduled, updatedNumberScheduled: 1 }, is: 'rolling: 1 of 3 pods are updated' }, // prettier-ignore
    { what: 'a pod is not available', status: { ...scheduled, numberAvailable: 2 }, is: 'rolling: 2 of 3 pods are available' }, // prettier-ignore
    { what: 'somebody deletes its pods', spec: onDelete, status: scheduled, is: 'unknown' },
    { what: 'no node wants it', status: seen, is: 'healthy' },
    // With surge, the old pod of a node runs until the new one is available. The controller counts the older one of each node.
    { what: 'with surge, no old pod is gone yet', spec: surge, status: { ...scheduled, updatedNumberScheduled: undefined }, is: 'rolling: 0 of 3 pods are updated' }, // prettier-ignore
    { what: 'with surge, the new pod of a node is not available', spec: surge, status: { ...scheduled, updatedNumberScheduled: 2 }, is: 'rolling: 2 of 3 pods are updated' }, // prettier-ignore
    { what: 'with surge, a new pod fails after the old one is gone', spec: surge, status: { ...scheduled, numberAvailable: 2 }, is: 'rolling: 2 of 3 pods are available' }, // prettier-ignore
    { what: 'with surge, all are new and available', spec: surge, status: scheduled, is: 'healthy' },
  ],
  Rollout: [
    { what: 'Argo calls it healthy', status: { observedGeneration: '3', phase: 'Healthy' }, is: 'healthy' },
    { what: 'Argo has not looked yet', status: { observedGeneration: '2', phase: 'Healthy' }, is: 'rolling: the controller has not seen the change yet' }, // prettier-ignore
    { what: 'Argo progresses', status: { observedGeneration: '3', phase: 'Progressing', availableReplicas: 1 }, is: 'rolling: 1 of 3 pods are available' }, // prettier-ignore
    { what: 'it waits at a step', status: { observedGeneration: '3', phase: 'Paused' }, is: 'held: its rollout is paused' }, // prettier-ignore
    { what: 'Argo calls it degraded', status: { observedGeneration: '3', phase: 'Degraded' }, is: 'failed: Argo Rollouts calls it degraded' }, // prettier-ignore
    { what: 'its pods are restarted one by one', spec: { restartAt: '2026-01-01T12:00:00Z' }, status: { observedGeneration: '3', phase: 'Healthy' }, is: 'rolling: its pods are not all restarted' }, // prettier-ignore
    { what: 'they are all restarted', spec: { restartAt: '2026-01-01T12:00:00Z' }, status: { observedGeneration: '3', phase: 'Healthy', restartedAt: '2026-01-01T12:00:00Z' }, is: 'healthy' }, // prettier-ignore
    { what: 'an earlier restart was all', spec: { restartAt: '2026-01-01T12:00:00Z' }, status: { observedGeneration: '3', phase: 'Healthy', restartedAt: '2025-12-31T12:00:00Z' }, is: 'rolling: its pods are not all restarted' }, // prettier-ignore
  ],
  Job: [
    { what: 'it runs', status: { active: 1 }, is: 'held: the Job is not complete' },
    { what: 'it is complete', status: { conditions: [{ type: 'Complete', status: 'True' }] }, is: 'healthy' },
    { what: 'it was complete once', status: { conditions: [{ type: 'Complete', status: 'False' }] }, is: 'held: the Job is not complete' }, // prettier-ignore
    { what: 'it has failed', status: { conditions: [{ type: 'Failed', status: 'True' }] }, is: 'failed: the Job has failed' }, // prettier-ignore
  ],
  CronJob: [{ what: 'anything', status: { lastScheduleTime: '2026-01-01T12:00:00Z' }, is: 'unknown' }],
};

describe.each(Object.entries(rows) as [WorkloadKindName, readonly Row[]][])('the rollout of a %s', (kind, ofKind) => {
  it.each(ofKind)('if $what, is $is', ({ spec, status, is }) => {
    const object = { metadata: { generation: 3 }, spec: { replicas: 3, ...spec }, status };
    const health = rolloutHealth(kind, object);
    expect('missing' in health ? `${health.state}: ${health.missing}` : health.state).toBe(is);
  });
});

it('has a table for each kind', () => {
  expect(Object.keys(rows).toSorted()).toEqual(workloadKinds.map(({ kind }) => kind).toSorted());
});

it.each(workloadKinds)('never throws, whatever a $kind looks like', ({ kind }) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
      expect(rolloutHealth(kind, { metadata: { generation: 1 }, spec, status }).state).toEqual(expect.any(String));
    }),
  );
});
