import { describe, expect, it } from '@jest/globals';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { progressOnceRestarted, rolloutProgress, rollsOut, type RolloutProgress } from './rollout-progress';

const seen = { observedGeneration: 2 };
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } } };

interface Row {
  readonly what: string;
  readonly kind?: WorkloadKindName;
  readonly spec?: object;
  readonly status?: object;
  /** State, pods, pods that are still to be replaced. */
  readonly is: readonly [RolloutProgress['state'], number, number];
}

const rows: readonly Row[] = [
  { what: 'no controller has seen it', is: ['rolling', 4, 4] },
  {
    what: 'the status is of before',
    status: { observedGeneration: 1, replicas: 4, updatedReplicas: 4, availableReplicas: 4 },
    is: ['rolling', 4, 4],
  },
  { what: 'all are new and available', status: { ...seen, replicas: 4, updatedReplicas: 4, availableReplicas: 4 }, is: ['healthy', 4, 0] },
  { what: 'one is new, and may be the one that is not available', status: { ...seen, replicas: 5, updatedReplicas: 2, availableReplicas: 4 }, is: ['rolling', 4, 3] },
  { what: 'all are new, and one is available', status: { ...seen, replicas: 4, updatedReplicas: 4, availableReplicas: 1 }, is: ['rolling', 4, 3] },
  { what: 'all are new and available, and an old one is left', status: { ...seen, replicas: 5, updatedReplicas: 4, availableReplicas: 5 }, is: ['rolling', 4, 1] },
  { what: 'it is paused', spec: { replicas: 4, paused: true }, status: { ...seen, replicas: 4 }, is: ['held', 4, 0] },
  { what: 'it has no replicas', spec: { replicas: 0 }, status: seen, is: ['healthy', 0, 0] },
  { what: 'the number is a default', spec: {}, is: ['rolling', 1, 1] },
  { what: 'a StatefulSet has one new pod', kind: 'StatefulSet', status: { ...seen, replicas: 4, updatedReplicas: 1, readyReplicas: 4 }, is: ['rolling', 4, 3] },
  { what: 'a StatefulSet is updated by hand', kind: 'StatefulSet', spec: { replicas: 4, updateStrategy: { type: 'OnDelete' } }, is: ['unknown', 4, 0] },
  { what: 'a DaemonSet has three new pods', kind: 'DaemonSet', status: { ...seen, desiredNumberScheduled: 9, updatedNumberScheduled: 3, numberAvailable: 8 }, is: ['rolling', 9, 7] },
  { what: 'a DaemonSet with surge has no new pod alone on its node', kind: 'DaemonSet', spec: surge, status: { ...seen, desiredNumberScheduled: 9, numberAvailable: 9 }, is: ['rolling', 9, 9] },
  { what: 'a DaemonSet with surge has three', kind: 'DaemonSet', spec: surge, status: { ...seen, desiredNumberScheduled: 9, updatedNumberScheduled: 3, numberAvailable: 9 }, is: ['rolling', 9, 6] },
  { what: 'a DaemonSet with surge has replaced all', kind: 'DaemonSet', spec: surge, status: { ...seen, desiredNumberScheduled: 9, updatedNumberScheduled: 9, numberAvailable: 9 }, is: ['healthy', 9, 0] },
  { what: 'an Argo Rollout writes its generation as a text', kind: 'Rollout', status: { observedGeneration: '2', phase: 'Progressing', replicas: 4, updatedReplicas: 3, availableReplicas: 4 }, is: ['rolling', 4, 1] },
  { what: 'a Job runs', kind: 'Job', is: ['held', 0, 0] },
  { what: 'a CronJob', kind: 'CronJob', is: ['unknown', 0, 0] },
]; // prettier-ignore

describe('rolloutProgress', () => {
  it.each(rows)('$what', ({ kind = 'Deployment', spec = { replicas: 4 }, status = {}, is }) => {
    const { state, pods, pendingPods } = rolloutProgress(kind, { metadata: { generation: 2 }, spec, status });
    expect([state, pods, pendingPods]).toEqual(is);
  });
});

describe('progressOnceRestarted', () => {
  it.each<[RolloutProgress['state'], boolean, RolloutProgress['state'], number]>([
    ['healthy', false, 'rolling', 3],
    ['failed', false, 'rolling', 3],
    ['healthy', true, 'held', 0],
    ['unknown', false, 'unknown', 0],
  ])('of %s, paused %s', (before, isPaused, state, pendingPods) => {
    expect(progressOnceRestarted({ state: before, pods: 3, pendingPods: 0 }, isPaused)).toEqual({
      state,
      pods: 3,
      pendingPods,
    });
  });
});

describe('rollsOut', () => {
  const progress: RolloutProgress = { state: 'healthy', pods: 1, pendingPods: 0 };

  it('is true of what replaces pods by itself', () => {
    expect(rollsOut({ kind: 'Deployment', progress })).toBe(true);
    expect(rollsOut({ kind: 'StatefulSet', progress: { ...progress, state: 'unknown' } })).toBe(false);
    expect([rollsOut({ kind: 'Job', progress }), rollsOut({ kind: 'CronJob', progress })]).toEqual([false, false]);
  });
});
