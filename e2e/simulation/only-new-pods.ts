import { objectAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';

/** Whether each pod was created from the current template: one that was not may still run when that is undone. */
export function hasOnlyNewPods(object: KubeObject): boolean {
  const status = objectAt(object, 'status');
  const count = (field: string): number => Number(status[field] ?? 0);
  if (count('observedGeneration') < (object.metadata.generation ?? 0)) return false;
  return object.kind === 'DaemonSet'
    ? count('currentNumberScheduled') === count('updatedNumberScheduled')
    : count('replicas') === count('updatedReplicas');
}

/** Whether a pod that is wanted is not available, as one that has just been created. */
export function lacksPods(object: KubeObject): boolean {
  const status = objectAt(object, 'status');
  const count = (field: string): number => Number(status[field] ?? 0);
  const wanted = Number(objectAt(object, 'spec')['replicas'] ?? 1);
  switch (object.kind) {
    case 'DaemonSet':
      return count('numberAvailable') < count('desiredNumberScheduled');
    case 'StatefulSet':
      return count('readyReplicas') < wanted;
    default:
      return count('availableReplicas') < wanted;
  }
}
