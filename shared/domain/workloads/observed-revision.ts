import { annotationsOf } from '../annotations/annotations';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { isObserved } from './rollout-health';

/**
 * The number of the ReplicaSet that a Deployment rolls out. Its controller increments it with each rollout, also with one
 * that brings back an earlier template. Undefined for other kinds, and until the controller has seen the current spec.
 * Source: `deployment.kubernetes.io/revision` in the Kubernetes reference of annotations.
 */
export function observedRevision(kind: WorkloadKindName, object: unknown): number | undefined {
  if (kind !== 'Deployment' || !isObserved(object)) return undefined;
  const revision = Number(annotationsOf(object)['deployment.kubernetes.io/revision']);
  return Number.isSafeInteger(revision) ? revision : undefined;
}
