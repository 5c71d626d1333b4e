import { annotation, annotationsOf, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import { workloadKinds, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import { causesTold } from '../../shared/domain/protocol/history-cause';
import { readRestartCause } from '../../shared/domain/workloads/restart-cause';
import { printable } from '../../shared/domain/text/printable';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects } from '../../shared/kube/client/objects';
import { events } from '../../shared/kube/resource';
import { look } from '../evidence/seen';
import { lookAtKinds, type SeenKinds } from '../evidence/seen-kind';
import type { HistoryQuestion } from './read-history';

export interface ToldByObjects extends Omit<SeenKinds<HistoryEntry>, 'values'> {
  readonly entries: readonly HistoryEntry[];
}

const pageSize = 500;

/** The last restart of each workload, as its annotation tells, and by the Events whether its pods became well. */
export async function readObjects(client: KubeClient, question: HistoryQuestion): Promise<ToldByObjects> {
  const { namespace, workload, timeoutMs } = question;
  const kinds = workloadKinds.filter(({ kind }) => workload === undefined || workload.kind === kind);
  const options = { timeoutMs, metadataOnly: true };
  const { values, ...missing } = await lookAtKinds(client, kinds, namespace, options, entryOf);
  const unhealthy = await readUnhealthy(client, question);
  const entries = values.map((entry) => ({ ...entry, ...unhealthy.get(keyOf(entry, entry.id)) }));
  return { entries: entries.toSorted((left, right) => (left.at < right.at ? 1 : -1)), ...missing };
}

function entryOf({ kind }: WorkloadKind, object: unknown): readonly HistoryEntry[] {
  const cause = readRestartCause(annotation(annotationsOf(object), ownAnnotations.lastRestart));
  const [namespace, name] = ['namespace', 'name'].map((field) => textOf(fieldAt(object, ['metadata', field])));
  if (!cause || namespace === undefined || name === undefined) return [];
  const at = new Date(cause.atMs).toISOString();
  return [{ at, id: cause.id, kind, namespace, name, causes: causesTold(cause), outcome: 'unknown' }];
}

/**
 * By workload and restart, what the Events of Reroll say. API servers keep them for an hour. Who may write Events in one
 * namespace may claim the restart of another, and a copy of a workload has the id of its restart.
 */
async function readUnhealthy(
  client: KubeClient,
  { namespace, timeoutMs }: HistoryQuestion,
): Promise<ReadonlyMap<string, Pick<HistoryEntry, 'outcome' | 'reason'>>> {
  const fieldSelector = 'reason=ReloadUnhealthy';
  const seen = await look(listObjects(client, events, namespace, { timeoutMs, pageSize, fieldSelector }));
  if (seen.is !== 'there') return new Map();
  return new Map(
    seen.value.flatMap((event) => {
      const [, id, reason] = /restart ([0-9a-f]{8}): (.*)$/.exec(textOf(fieldAt(event, ['message'])) ?? '') ?? [];
      if (id === undefined || reason === undefined) return [];
      if (fieldAt(event, ['source', 'component']) !== 'reroll') return [];
      return [
        [
          keyOf(objectOf(fieldAt(event, ['involvedObject'])), id),
          { outcome: 'unhealthy' as const, reason: printable(reason) },
        ] as const,
      ];
    }),
  );
}

function keyOf(
  { kind, namespace, name }: Readonly<Record<'kind' | 'namespace' | 'name', unknown>>,
  id: string,
): string {
  return JSON.stringify([kind, namespace, name, id]);
}
