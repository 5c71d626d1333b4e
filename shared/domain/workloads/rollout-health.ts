import { fieldAt, listOf, numberAt, objectOf, textOf, type JsonObject } from '../kubernetes/json-value';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/**
 * How the rollout of a workload's current template stands. `unknown`: it has no pods of its own, or nothing but a person
 * replaces them.
 */
export type RolloutHealth =
  | { readonly state: 'healthy' | 'unknown' }
  /** `missing` completes "after ten minutes …": `2 of 3 pods are available`. */
  | { readonly state: 'rolling' | 'held' | 'failed'; readonly missing: string };

const healthy: RolloutHealth = { state: 'healthy' };
const unknown: RolloutHealth = { state: 'unknown' };

const readers: Readonly<Record<WorkloadKindName, (object: unknown) => RolloutHealth>> = {
  Deployment: deploymentHealth,
  DeploymentConfig: deploymentHealth,
  StatefulSet: statefulSetHealth,
  DaemonSet: daemonSetHealth,
  Rollout: rolloutObjectHealth,
  Job: jobHealth,
  // Its Jobs are objects of their own, and the next one may run tomorrow.
  CronJob: () => unknown,
};

/**
 * Reads what `kubectl rollout status` reads, and says the same of each kind. A paused Deployment, and a Rollout that
 * waits for a person, are `held`.
 *
 * @see https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function rolloutHealth(kind: WorkloadKindName, object: unknown): RolloutHealth {
  return readers[kind](object);
}

function deploymentHealth(object: unknown): RolloutHealth {
  const { spec, status } = partsOf(object);
  const isPaused = spec['paused'] === true;
  const open = (missing: string): RolloutHealth => ({ state: isPaused ? 'held' : 'rolling', missing });
  if (!isObserved(object)) return open('the controller has not seen the new template yet');
  // The condition of a paused Deployment is that of an earlier rollout.
  if (!isPaused && isDeadlineExceeded(status)) {
    return { state: 'failed', missing: `${availability(spec, status)}, and its progress deadline is exceeded` };
  }
  const [wanted, updated] = [replicasOf(spec), numberAt(status, ['updatedReplicas'])];
  if (updated < wanted) return open(`${updated} of ${wanted} pods are updated`);
  const old = numberAt(status, ['replicas']) - updated;
  if (old > 0) return open(old === 1 ? '1 old pod is left' : `${old} old pods are left`);
  if (numberAt(status, ['availableReplicas']) < updated) return open(availability(spec, status));
  return healthy;
}

function statefulSetHealth(object: unknown): RolloutHealth {
  const { spec, status } = partsOf(object);
  if (!isRolledByItself(object)) return unknown;
  if (!isObserved(object)) return rolling('the controller has not seen the new template yet');
  const [wanted, ready] = [replicasOf(spec), numberAt(status, ['readyReplicas'])];
  if (ready < wanted) return rolling(`${ready} of ${wanted} pods are ready`);
  // Pods below the partition keep the template of before, because somebody wants that.
  const toUpdate = wanted - numberAt(spec, ['updateStrategy', 'rollingUpdate', 'partition']);
  const updated = numberAt(status, ['updatedReplicas']);
  return updated < toUpdate ? rolling(`${updated} of ${toUpdate} pods are updated`) : healthy;
}

function daemonSetHealth(object: unknown): RolloutHealth {
  const { status } = partsOf(object);
  if (!isRolledByItself(object)) return unknown;
  if (!isObserved(object)) return rolling('the controller has not seen the new template yet');
  const wanted = numberAt(status, ['desiredNumberScheduled']);
  const [updated, available] = [numberAt(status, ['updatedNumberScheduled']), numberAt(status, ['numberAvailable'])];
  if (updated < wanted) return rolling(`${updated} of ${wanted} pods are updated`);
  return available < wanted ? rolling(`${available} of ${wanted} pods are available`) : healthy;
}

/** Argo's own verdict. @see https://argo-rollouts.readthedocs.io/en/stable/features/kustomize/ */
function rolloutObjectHealth(object: unknown): RolloutHealth {
  const { spec, status } = partsOf(object);
  if (!isObserved(object)) return rolling('the controller has not seen the change yet');
  const askedFor = textOf(spec['restartAt']);
  const isRestarted = askedFor === undefined || Date.parse(textOf(status['restartedAt']) ?? '') >= Date.parse(askedFor);
  switch (status['phase']) {
    case 'Healthy':
      return isRestarted ? healthy : rolling('its pods are not all restarted');
    case 'Degraded':
      return { state: 'failed', missing: 'Argo Rollouts calls it degraded' };
    case 'Paused':
      return { state: 'held', missing: 'its rollout is paused' };
    default:
      return rolling(availability(spec, status));
  }
}

function jobHealth(object: unknown): RolloutHealth {
  const { status } = partsOf(object);
  if (hasCondition(status, 'Failed')) return { state: 'failed', missing: 'the Job has failed' };
  // However long it runs, that is its own affair.
  return hasCondition(status, 'Complete') ? healthy : { state: 'held', missing: 'the Job is not complete' };
}

function partsOf(object: unknown): { readonly spec: JsonObject; readonly status: JsonObject } {
  return { spec: objectOf(fieldAt(object, ['spec'])), status: objectOf(fieldAt(object, ['status'])) };
}

function rolling(missing: string): RolloutHealth {
  return { state: 'rolling', missing };
}

/** Whether the status was counted after the template was written. Argo writes the number as a text. */
export function isObserved(object: unknown): boolean {
  const generation = Number(fieldAt(object, ['metadata', 'generation']) ?? 0);
  const observed = Number(fieldAt(object, ['status', 'observedGeneration']) ?? 0);
  return generation > 0 && observed >= generation;
}

/** Whether a new template replaces pods of a StatefulSet or DaemonSet. */
export function isRolledByItself(object: unknown): boolean {
  return textOf(fieldAt(object, ['spec', 'updateStrategy', 'type'])) !== 'OnDelete';
}

function isDeadlineExceeded(status: JsonObject): boolean {
  return conditionsOf(status).some(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
}

function hasCondition(status: JsonObject, wanted: string): boolean {
  return conditionsOf(status).some((condition) => condition['type'] === wanted && condition['status'] === 'True');
}

function conditionsOf(status: JsonObject): readonly JsonObject[] {
  return listOf(status['conditions']).map(objectOf);
}

function availability(spec: JsonObject, status: JsonObject): string {
  return `${numberAt(status, ['availableReplicas'])} of ${replicasOf(spec)} pods are available`;
}

/** The API server writes the default, and admission reviews and tests may lack it. */
function replicasOf(spec: JsonObject): number {
  return spec['replicas'] === undefined ? 1 : numberAt(spec, ['replicas']);
}
