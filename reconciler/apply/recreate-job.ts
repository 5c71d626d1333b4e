import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { formatBaseline, withoutUid } from '../../shared/domain/baseline/baseline';
import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { AlreadyExistsError } from '../../shared/kube/errors';
import { createObject, getObject, type KubeObject } from '../../shared/kube/client/objects';
import type { JobJournal } from './job-journal';
import { jobDigest, type JobRecreation } from './journal-entry';
import { leaveToNextRun } from './patch-workload';
import { readAgain } from './read-again';
import { describeTracedChange } from '../../shared/domain/plan/describe-change';
import type { Apply, Restart } from './restart';
import { markTemplate } from './template';

/** Labels that the Job controller set for the old Job. The new Job gets its own. */
const generatedLabels = [
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
];

/** Finalizers that the API server adds while it deletes an object. */
const deletionFinalizers = ['foregroundDeletion', 'orphan'];

/**
 * A Job's template is immutable, so a Job is restarted by deleting and recreating it. The successor is first written to
 * the journal, which does the rest: no crash between the two steps can lose the Job.
 */
export function recreateJob(journal: JobJournal): Apply {
  return async (context, restart) => {
    const { record } = restart.workload;
    if (isLeftToNextRun(record.kind, record.settings)) return await leaveToNextRun(context, restart);
    const job = await getObject(context.client, workloadKind('Job').resource, record.namespace, record.name);
    readAgain(context, restart.workload, job);
    const successor = successorOf(job, restart);
    context.assertLeading();
    await requireCreatable(context.client, successor);
    context.assertLeading();
    await journal.write({
      uid: record.uid,
      restartId: restart.id,
      madeFrom: jobDigest(job),
      sources: restart.changes.map(({ id }) => id),
      because: restart.changes.map(describeTracedChange),
      successor,
    });
    return { kind: 'under-way' };
  };
}

/**
 * Throws the KubeError with which the API server refuses the successor. This dry run works while the predecessor still
 * exists, because the server checks last whether the name is taken: after permissions, admission, validation and quota.
 *
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/registry/generic/registry/store.go `create`
 */
async function requireCreatable(client: KubeClient, successor: JobRecreation['successor']): Promise<void> {
  try {
    await createObject(client, workloadKind('Job').resource, successor.metadata.namespace, successor, { dryRun: true });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

/** The Job to create, without what the server and the Job controller added to its predecessor. */
export function successorOf(
  job: KubeObject,
  { annotations, baseline, marker, workload }: Pick<Restart, 'annotations' | 'baseline' | 'marker' | 'workload'>,
): JobRecreation['successor'] {
  const { labels, finalizers, ownerReferences } = job.metadata;
  const { name, namespace } = workload.record;
  const spec = objectOf(job['spec']);
  const { selector, ...specOfUser } = spec;
  const ownSelector = spec['manualSelector'] === true;
  const written = { ...annotations, [ownAnnotations.baseline]: formatBaseline(withoutUid(baseline)) };
  const keptFinalizers = listOf(finalizers).filter(
    (finalizer) => !deletionFinalizers.includes(textOf(finalizer) ?? ''),
  );
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: ownSelector ? (labels ?? {}) : withoutGenerated(labels ?? {}),
      annotations: { ...job.metadata.annotations, ...written },
      ...(keptFinalizers.length > 0 && { finalizers: keptFinalizers }),
      ...(ownerReferences !== undefined && { ownerReferences: listOf(ownerReferences).map(withoutBlocking) }),
    },
    spec: {
      ...specOfUser,
      // Only a selector that the user set is kept; a generated one selects the old Job's pods.
      ...(ownSelector && { selector }),
      template: markTemplate(templateOf(job, ownSelector), marker),
    },
  };
}

function templateOf(job: KubeObject, ownSelector: boolean): JsonObject {
  const template = objectOf(fieldAt(job, ['spec', 'template']));
  if (ownSelector) return template;
  const metadata = objectOf(template['metadata']);
  return { ...template, metadata: { ...metadata, labels: withoutGenerated(objectOf(metadata['labels'])) } };
}

/**
 * Drops `blockOwnerDeletion`: clusters require a permission on the owner's finalizers for it, and the owner may be of
 * any kind.
 */
function withoutBlocking(reference: unknown): JsonObject {
  const fields = Object.entries(objectOf(reference));
  return Object.fromEntries(fields.filter(([field]) => field !== 'blockOwnerDeletion'));
}

function withoutGenerated<T>(labels: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !generatedLabels.includes(name)));
}
