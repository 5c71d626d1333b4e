import { fieldAt, textOf } from '../kubernetes/json-value';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/**
 * `all`: it has pods, and every one of them was made from the template that it has now. `untold`: none would be replaced by a
 * new template, or nobody can say.
 */
export type RolloutStatus = 'complete' | 'progressing' | 'unknown';

type Test = (object: unknown) => boolean;

/** The kinds whose status tells whether a pod of a former template is left. */
const tests: Partial<Record<WorkloadKindName, Test>> = {
  Deployment: (object) =>
    fieldAt(object, ['spec', 'paused']) !== true && areAllUpdated(object, 'replicas', 'updatedReplicas'),
  StatefulSet: (object) =>
    replacesByItself(object) &&
    numberAt(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']) === 0 &&
    areAllUpdated(object, 'replicas', 'updatedReplicas'),
  DaemonSet: (object) =>
    replacesByItself(object) &&
    // On a node that is no longer for it a pod may run on for ever.
    numberAt(object, ['status', 'numberMisscheduled']) === 0 &&
    areAllUpdated(object, 'currentNumberScheduled', 'updatedNumberScheduled'),
};

/** Which pods are of the template of now. In doubt, and where a new template does not replace them by itself, not all. */
export function rolloutStatus(kind: WorkloadKindName, object: unknown): RolloutStatus {
  const test = tests[kind];
  if (!test || fieldAt(object, ['spec', 'replicas']) === 0) return 'unknown';
  return test(object) ? 'complete' : 'progressing';
}

function areAllUpdated(object: unknown, all: string, updated: string): boolean {
  const generation = numberAt(object, ['metadata', 'generation']);
  // What stands in a status that is older was counted before the template was changed.
  if (generation === 0 || numberAt(object, ['status', 'observedGeneration']) < generation) return false;
  const pods = numberAt(object, ['status', all]);
  return pods > 0 && numberAt(object, ['status', updated]) === pods;
}

function replacesByItself(object: unknown): boolean {
  return textOf(fieldAt(object, ['spec', 'updateStrategy', 'type'])) !== 'OnDelete';
}

/** The API leaves out what is 0. */
function numberAt(object: unknown, path: readonly string[]): number {
  const value = fieldAt(object, path);
  return typeof value === 'number' ? value : 0;
}
