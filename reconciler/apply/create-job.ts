import { hash } from 'node:crypto';
import { ownFieldManager } from '../../shared/domain/annotations/annotations';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { managedFieldsOf } from '../../shared/domain/workloads/managed-fields';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { AlreadyExistsError } from '../../shared/kube/errors';
import { createObject, getObject, type KubeObject } from '../../shared/kube/client/objects';
import { annotateWorkload, leaveToNextRun } from './patch-workload';
import type { ApplyContext, Applied, Restart } from './restart';
import { readAgain } from './read-again';
import { markTemplate } from './template';

/** Length of the suffix of a Job's name. A Job's name may have 63 characters, a CronJob's 52. */
const nameDigits = 10;

/**
 * Runs a CronJob at once: creates a Job from its template, then writes its baseline. The Job's name is derived from the
 * change, so that a retry after a lost answer finds the Job and cannot run it twice.
 */
export async function createJobFromCronJob(context: ApplyContext, restart: Restart): Promise<Applied> {
  const { record } = restart.workload;
  if (isLeftToNextRun(record.kind, record.settings)) return await leaveToNextRun(context, restart);
  const cronJobs = workloadKind('CronJob').resource;
  const cronJob = await getObject(context.client, cronJobs, record.namespace, record.name);
  const workload = readAgain(context, restart.workload, cronJob);
  const job = jobFor(cronJob, restart);
  context.assertLeading();
  try {
    await createObject(context.client, workloadKind('Job').resource, record.namespace, job);
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  const stored = await annotateWorkload(context, workload, restart.annotations);
  return { kind: 'written', did: `run as Job ${job.metadata.name}`, stored };
}

function jobFor(cronJob: KubeObject, restart: Restart) {
  const { marker, workload } = restart;
  const { name, namespace, uid } = workload.record;
  const template = objectOf(fieldAt(cronJob, ['spec', 'jobTemplate']));
  const metadata = objectOf(template['metadata']);
  const spec = objectOf(template['spec']);
  const digest = hash('sha256', `${uid} ${identityOf(cronJob, restart)}`, 'hex').slice(0, nameDigits);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${digest}`,
      namespace,
      labels: objectOf(metadata['labels']),
      // Like `kubectl create job --from`; the same key in the template wins.
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...objectOf(metadata['annotations']) },
      // Like kubectl, without `blockOwnerDeletion`: clusters require a permission on the owner's finalizers for it.
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }],
    },
    spec: { ...spec, template: markTemplate(objectOf(spec['template']), marker) },
  };
}

/**
 * Text that is the same for each attempt to answer a change, by any replica, and different for any other change.
 *
 * - With a stored baseline: what is to be recorded of the changed sources, and the id of the last run that was answered.
 *   Other sources are left out, because an edit of the CronJob between two attempts may add some, and so is the number of
 *   the baseline, because these may be recorded while the change has to wait. Before the first run, the number and when
 *   Reroll last wrote the CronJob: a source may return to earlier content, and both annotations may be removed.
 * - Without one: the versions of the changed sources. Each replica counts its baselines in memory by itself.
 */
function identityOf(cronJob: KubeObject, { baseline, changes, workload }: Restart): string {
  if (workload.record.baselineText === undefined) {
    return JSON.stringify(changes.map(({ id, whole, version }) => [id, whole, version]));
  }
  const changed = new Set(changes.map(({ id }) => id));
  const sources = new Map([...baseline.sources].filter(([id]) => changed.has(id)));
  const last = workload.record.lastRestart?.id;
  if (last !== undefined) return `${formatBaseline({ ...baseline, sequence: 0, sources })} ${last}`;
  const own = managedFieldsOf(cronJob).find(({ manager }) => manager === ownFieldManager);
  return `${formatBaseline({ ...baseline, sources })} ${String(own?.timeMs)}`;
}
