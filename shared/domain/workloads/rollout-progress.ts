import { fieldAt, numberAt } from '../kubernetes/json-value';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { isObserved, rolloutHealth, type RolloutHealth } from './rollout-health';

/** How far the rollout of a workload's current template is: what gates need to know of it. */
export interface RolloutProgress {
  readonly state: RolloutHealth['state'];
  /** Pods that it wants. */
  readonly pods: number;
  /** Pods of these that are not both new and available yet; in doubt, more. */
  readonly pendingPods: number;
}

/** Shared by the workloads of one pod or none, which are most. */
const shared: ReadonlyMap<string, RolloutProgress> = new Map(
  (['healthy', 'unknown'] as const).flatMap((state) =>
    [0, 1, 2, 3].map((pods) => [`${state}${pods}`, Object.freeze({ state, pods, pendingPods: 0 })]),
  ),
);

export const unknownProgress: RolloutProgress = Object.freeze({ state: 'unknown', pods: 0, pendingPods: 0 });

/** Reads the progress from the whole object. */
export function rolloutProgress(kind: WorkloadKindName, object: unknown): RolloutProgress {
  const { state } = rolloutHealth(kind, object);
  const pods = wantedPods(kind, object);
  if (state === 'healthy' || state === 'unknown') {
    return shared.get(`${state}${pods}`) ?? { state, pods, pendingPods: 0 };
  }
  return { state, pods, pendingPods: state === 'rolling' ? Math.max(1, pods - newPods(kind, object, pods)) : 0 };
}

/** The progress in the moment in which a restart is written, before any controller has seen it. */
export function progressOnceRestarted({ state, pods }: RolloutProgress, isPaused: boolean): RolloutProgress {
  if (state === 'unknown') return { state, pods, pendingPods: 0 };
  return isPaused
    ? { state: 'held', pods, pendingPods: 0 }
    : { state: 'rolling', pods, pendingPods: Math.max(1, pods) };
}

/** Whether a restart of it is a rollout of pods that somebody waits for. */
export function rollsOut({
  kind,
  progress,
}: {
  readonly kind: WorkloadKindName;
  readonly progress: RolloutProgress;
}): boolean {
  return kind !== 'Job' && kind !== 'CronJob' && progress.state !== 'unknown';
}

/** Whether its health tells of a content: without pods, nothing has read it. */
export function mayProve(workload: { readonly kind: WorkloadKindName; readonly progress: RolloutProgress }): boolean {
  return !rollsOut(workload) || workload.progress.pods > 0;
}

function wantedPods(kind: WorkloadKindName, object: unknown): number {
  switch (kind) {
    case 'Job':
    case 'CronJob':
      return 0;
    case 'DaemonSet':
      return numberAt(object, ['status', 'desiredNumberScheduled']);
    default:
      return fieldAt(object, ['spec', 'replicas']) === undefined ? 1 : numberAt(object, ['spec', 'replicas']);
  }
}

/** New pods that are available. Available ones may be old, so as many as there are old ones do not count. */
function newPods(kind: WorkloadKindName, object: unknown, pods: number): number {
  if (!isObserved(object)) return 0;
  const of = (field: string): number => numberAt(object, ['status', field]);
  if (kind === 'DaemonSet') return atLeast0(of('numberAvailable') - (pods - of('updatedNumberScheduled')));
  const isReady = kind === 'StatefulSet' ? of('readyReplicas') : of('availableReplicas');
  return atLeast0(isReady - (of('replicas') - of('updatedReplicas')));
}

function atLeast0(value: number): number {
  return Math.max(0, value);
}
