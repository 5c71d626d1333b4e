import { fieldAt, numberAt } from '../kubernetes/json-value';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { isObserved, isRolledByItself } from './rollout-health';
import { rollsOut, type RolloutProgress } from './rollout-progress';

/**
 * `complete`: it has pods, and all of them were created from its current template. `unseen`: its controller has not seen
 * the current spec yet. `unknown`: a new template would replace none of the pods, or the status does not show it.
 */
export type RolloutStatus = 'complete' | 'progressing' | 'unseen' | 'unknown';

type Test = (object: unknown) => boolean;

/** The kinds whose status shows whether a pod of an older template is left. */
const tests: Partial<Record<WorkloadKindName, Test>> = {
  Deployment: (object) =>
    fieldAt(object, ['spec', 'paused']) !== true && areAllUpdated(object, 'replicas', 'updatedReplicas'),
  StatefulSet: (object) =>
    isRolledByItself(object) &&
    numberAt(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']) === 0 &&
    areAllUpdated(object, 'replicas', 'updatedReplicas'),
  DaemonSet: (object) =>
    isRolledByItself(object) &&
    // A pod on a node that the DaemonSet no longer selects may run on forever.
    numberAt(object, ['status', 'numberMisscheduled']) === 0 &&
    areAllUpdated(object, 'currentNumberScheduled', 'updatedNumberScheduled'),
};

/**
 * Whether the pods match the current template. If in doubt, or if a new template does not replace pods automatically:
 * `progressing`.
 */
export function rolloutStatus(kind: WorkloadKindName, object: unknown): RolloutStatus {
  const test = tests[kind];
  if (!test || fieldAt(object, ['spec', 'replicas']) === 0) return 'unknown';
  if (!isObserved(object)) return 'unseen';
  return test(object) ? 'complete' : 'progressing';
}

/**
 * Whether pods may be starting, as a rollout starts them, or a drained node, a scale-up or a crash: a pod that is wanted
 * and not available may be one that reads its sources now. Not while the rollout is held paused, or if only a person
 * replaces the pods.
 */
export function isStartingPods(workload: {
  readonly kind: WorkloadKindName;
  readonly rolloutStatus: RolloutStatus;
  readonly progress: RolloutProgress;
}): boolean {
  const { kind, rolloutStatus: status, progress } = workload;
  // Scaled to zero, its last pods end. Of other kinds, only the progress tells.
  const startsNone = status === 'unseen' || (status === 'unknown' && tests[kind] !== undefined);
  return !startsNone && rollsOut(workload) && (progress.state === 'rolling' || progress.state === 'failed');
}

/** Whether pods of the current template start while others of an earlier one may be left. */
export function isReplacingPods(workload: Parameters<typeof isStartingPods>[0]): boolean {
  return workload.rolloutStatus === 'progressing' && isStartingPods(workload);
}

function areAllUpdated(object: unknown, all: string, updated: string): boolean {
  const pods = numberAt(object, ['status', all]);
  return pods > 0 && numberAt(object, ['status', updated]) === pods;
}
