import { fieldAt, numberAt } from '../kubernetes/json-value';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { isObserved, isRolledByItself } from './rollout-health';

/**
 * `complete`: it has pods, and all of them were created from its current template. `unknown`: a new template would
 * replace none of them, or the status does not show it.
 */
export type RolloutStatus = 'complete' | 'progressing' | 'unknown';

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
  return test(object) ? 'complete' : 'progressing';
}

function areAllUpdated(object: unknown, all: string, updated: string): boolean {
  if (!isObserved(object)) return false;
  const pods = numberAt(object, ['status', all]);
  return pods > 0 && numberAt(object, ['status', updated]) === pods;
}
