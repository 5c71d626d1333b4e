import { fieldAt, listOf, objectOf, textOf, type JsonObject } from '../../shared/domain/json-value';
import { isLeftToNextRun } from '../../shared/domain/workload-settings';
import { workloadKind } from '../../shared/domain/workload-kinds';
import { getObject, type KubeObject } from '../../shared/kube/objects';
import type { JobJournal, JobRecreation } from '../job-journal';
import { leaveToNextRun } from './leave-to-next-run';
import { readAgain } from './read-again';
import { describeChange } from '../report';
import type { Apply, Restart } from './restart';
import { markTemplate } from './template';

/** Set by the Job controller for the Job that was; the new one gets its own. */
const generatedLabels = [
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'batch.kubernetes.io/job-name',
];

/** Finalizers that the API server adds for a deletion under way. */
const deletionFinalizers = ['foregroundDeletion', 'orphan'];

/**
 * A Job's template is immutable, so a Job is restarted by deleting it and creating it anew. Its successor is written to
 * the journal first, and the journal does the rest: no crash between the two steps can lose the Job.
 */
export function recreateJob(journal: JobJournal): Apply {
  return async (context, restart) => {
    const { record } = restart.workload;
    if (isLeftToNextRun(record.kind, record.settings)) return await leaveToNextRun(context, restart);
    const job = await getObject(context.client, workloadKind('Job').resource, record.namespace, record.name);
    readAgain(context, restart.workload, job);
    context.assertLeading();
    await journal.write({
      uid: record.uid,
      restartId: restart.id,
      sources: restart.changes.map(({ id }) => id),
      because: restart.changes.map(describeChange),
      successor: successorOf(job, restart),
    });
    return { kind: 'under-way' };
  };
}

/** The Job as it is to be created: without what the server and the Job controller gave its predecessor. */
export function successorOf(
  job: KubeObject,
  { annotations, marker, workload }: Pick<Restart, 'annotations' | 'marker' | 'workload'>,
): JobRecreation['successor'] {
  const { labels, finalizers, ownerReferences } = job.metadata;
  const { name, namespace } = workload.record;
  const spec = objectOf(job['spec']);
  const { selector, ...specOfUser } = spec;
  const ownSelector = spec['manualSelector'] === true;
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
      annotations: { ...job.metadata.annotations, ...annotations },
      ...(keptFinalizers.length > 0 && { finalizers: keptFinalizers }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    spec: {
      ...specOfUser,
      // Only a selector of the user's own is theirs to keep; a generated one names the old Job's pods.
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

function withoutGenerated<T>(labels: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !generatedLabels.includes(name)));
}
