import { listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { historyPageSchema, type HistoryEntry } from '../../shared/domain/protocol/history';
import { maxInspectionRows } from '../../shared/domain/protocol/inspection-question';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { askPages } from '../cluster/ask-pages';
import type { Cluster } from '../cluster/cluster';
import { noAnswer, type LeaderSilentError } from '../cluster/silence';
import { readConfigMaps } from './stored-history';
import { readObjects } from './history-of-objects';

export type HistoryRow = Tolerant<HistoryEntry>;

/** Where the history was read. */
export type HistorySource = 'leader' | 'configmaps' | 'objects';

/** The restarts that were asked for, newest first. */
export interface ReadHistory {
  readonly rows: readonly HistoryRow[];
  /** The rows as they were read. */
  readonly entries: readonly unknown[];
  readonly keptSince: string | undefined;
  readonly answeredBy: HistorySource;
  /** Why the leader did not answer; undefined: it did. */
  readonly silence: LeaderSilentError | undefined;
  /** What is missing from the answer, and why. */
  readonly notices: readonly string[];
}

export interface HistoryQuestion {
  /** Undefined: of all workloads. */
  readonly workload: { readonly kind: WorkloadKindName; readonly name: string } | undefined;
  /** Undefined: of all namespaces. */
  readonly namespace: string | undefined;
  readonly sinceMs: number;
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
}

/** @throws NoAnswerError, KubeError */
export async function readHistory(cluster: Cluster, question: HistoryQuestion): Promise<ReadHistory> {
  const told = await askPages(cluster, (token) => pagePath(question, token), historyPageSchema);
  if (told.silence) return await withoutLeader(cluster, question, told.silence);
  const { pages } = told;
  return {
    rows: pages.flatMap(({ said }) => said.entries),
    entries: pages.flatMap(({ body }) => listOf(objectOf(body)['entries'])),
    keptSince: pages.at(-1)?.said.keptSince,
    ...{ answeredBy: 'leader', silence: undefined, notices: [] },
  };
}

function pagePath({ namespace = '', workload, sinceMs }: HistoryQuestion, token: string): string {
  const { kind = '', name = '' } = workload ?? {};
  const since = new Date(sinceMs).toISOString();
  const query = new URLSearchParams({
    namespace,
    kind,
    name,
    since,
    limit: String(maxInspectionRows),
    continue: token,
  });
  return `/v1/history?${query.toString()}`;
}

/** The ConfigMaps of the history, if they may be read, or else what the workloads and their Events tell. */
async function withoutLeader(
  { client }: Cluster,
  question: HistoryQuestion,
  silence: LeaderSilentError,
): Promise<ReadHistory> {
  const stored = await readConfigMaps(client, question);
  if ('history' in stored) {
    const { keptSince, entries } = stored.history;
    const rows = entries.filter((entry) => isAskedFor(question, entry)).map(asStored);
    return { rows, entries: rows, keptSince, answeredBy: 'configmaps', silence, notices: stored.notices };
  }
  const { entries, missingRights, isAllHidden } = await readObjects(client, question);
  const notices = [stored.why, ...missingRights.map((right) => `${right}: those are missing here`)];
  if (isAllHidden) throw noAnswer(silence, missingRights);
  const rows = entries.filter((entry) => isAskedFor(question, entry));
  return { rows, entries: rows, keptSince: undefined, answeredBy: 'objects', silence, notices };
}

function isAskedFor({ namespace, workload, sinceMs }: HistoryQuestion, entry: HistoryEntry): boolean {
  return (
    (namespace === undefined || entry.namespace === namespace) &&
    (workload === undefined || (entry.kind === workload.kind && entry.name === workload.name)) &&
    Date.parse(entry.at) >= sinceMs
  );
}

/** Who reads the ConfigMaps does not know whether a leader still follows it. */
function asStored(entry: HistoryEntry): HistoryEntry {
  return entry.outcome === 'rolling'
    ? { ...entry, outcome: 'unknown', reason: 'its end is not in the ConfigMaps yet' }
    : entry;
}
