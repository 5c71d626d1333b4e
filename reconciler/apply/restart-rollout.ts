import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import { mergeTemplate } from './merge-template';
import { patchRestart } from './patch-workload';
import { readAgain } from './read-again';
import type { Apply } from './restart';

/**
 * Restarts an Argo Rollout in one of two ways. By default a changed template goes through its update strategy, step by
 * step. With `restart` its pods are replaced without a new revision.
 *
 * @see https://argoproj.github.io/argo-rollouts/features/restart
 */
export const restartRollout: Apply = async (context, restart) => {
  const { namespace, name, rollout } = restart.workload.record;
  if (rollout?.strategy !== 'restart') return await mergeTemplate(context, restart);
  const object = await getObject(context.client, workloadKind('Rollout').resource, namespace, name);
  const workload = readAgain(context, restart.workload, object);
  const restartAt = restartTime(object, restart.atMs);
  const stored = await patchRestart(context, workload, restart, { restartAt }, (written) =>
    fieldAt(written, ['spec', 'restartAt']) === restartAt ? undefined : 'spec.restartAt',
  );
  return { kind: 'written', did: restartedByTime, stored };
};

export const restartedByTime = 'restarted by spec.restartAt';

/**
 * The next full second. Argo replaces pods created before `restartAt`, both in whole seconds; with the current second
 * it would keep a pod that was created in it. The time must also be later than Argo's last restart, by whatever clock
 * that was, or Argo would do nothing. A later time set by a person is overwritten.
 */
function restartTime(object: KubeObject, nowMs: number): string {
  const doneMs = Date.parse(textOf(fieldAt(object, ['status', 'restartedAt'])) ?? '');
  const nextMs = (Math.floor(nowMs / 1000) + 1) * 1000;
  const atMs = doneMs >= nextMs ? doneMs + 1000 : nextMs;
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}
