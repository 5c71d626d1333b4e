import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { LintSettings } from '../../shared/domain/lint/lint-subject';
import { readRollout } from '../../shared/domain/workloads/rollout';
import type { FoundObject } from '../manifests/manifests';

/** The names of Rollouts, by the Deployments whose pod templates they use. */
export type RolloutRefs = ReadonlyMap<string, string>;

/** Finds the Rollouts with a `spec.workloadRef` to a Deployment, if the install watches Rollouts. */
export function readRolloutRefs(objects: readonly FoundObject[], { keys, policy }: LintSettings): RolloutRefs {
  const refs = new Map<string, string>();
  if (policy.ignoredWorkloadKinds.includes('Rollout')) return refs;
  for (const { group, kind, namespace, object } of objects) {
    if (group !== 'argoproj.io' || kind !== 'Rollout') continue;
    const { workloadRef } = readRollout(object, {}, keys).rollout;
    const name = textOf(fieldAt(object, ['metadata', 'name']));
    if (workloadRef?.kind === 'Deployment' && name !== undefined)
      refs.set(objectKey(namespace, workloadRef.name), name);
  }
  return refs;
}
