import { listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import { maxInspectionRows } from '../../shared/domain/protocol/inspection-question';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { workloadPageSchema, type WorkloadRow } from '../../shared/domain/protocol/workload-page';
import { askPages } from '../cluster/ask-pages';
import type { Cluster } from '../cluster/cluster';
import { NoAnswerError, type LeaderSilentError } from '../cluster/silence';
import { statusOf } from '../evidence/account';
import { readInstall } from '../evidence/install';
import { readWorkloads } from '../evidence/seen-workloads';

export type StatusRow = Tolerant<WorkloadRow>;

/** The workloads that something may restart, and their states. */
export interface Status {
  readonly rows: readonly StatusRow[];
  /** The rows as the leader wrote them. */
  readonly workloads: readonly unknown[];
  /** Undefined: the leader answered. */
  readonly silence: LeaderSilentError | undefined;
  /** The pod that answered. */
  readonly leader: string | undefined;
  readonly isInstallKnown: boolean;
  readonly missingRights: readonly string[];
}

export interface StatusQuestion {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

/** @throws NoAnswerError, KubeError */
export async function readStatus(cluster: Cluster, question: StatusQuestion): Promise<Status> {
  const told = await askPages(cluster, (token) => pagePath(question, token), workloadPageSchema);
  if (told.silence) return await fromObjects(cluster, question, told.silence);
  const { pages } = told;
  return {
    rows: pages.flatMap(({ said }) => said.workloads),
    workloads: pages.flatMap(({ body }) => listOf(objectOf(body)['workloads'])),
    ...{ silence: undefined, leader: pages.at(-1)?.pod, isInstallKnown: true, missingRights: [] },
  };
}

function pagePath({ namespace = '' }: StatusQuestion, token: string): string {
  const query = new URLSearchParams({ namespace, limit: String(maxInspectionRows), continue: token });
  return `/v1/workloads?${query.toString()}`;
}

/** Without the leader, the objects tell of pauses and of the last restart. */
async function fromObjects(
  { client }: Cluster,
  { namespace, rerollNamespace, timeoutMs, nowMs }: StatusQuestion,
  silence: LeaderSilentError,
): Promise<Status> {
  const install = await readInstall(client, rerollNamespace, { timeoutMs });
  const { records, missingRights } = await readWorkloads(client, namespace, install, { timeoutMs });
  if (records.length === 0 && missingRights.length > 0) {
    throw new NoAnswerError(`${silence.message}; and ${missingRights.join(', ')}, so there is nothing to answer from`);
  }
  const rows = records.map((record): StatusRow => {
    const { kind, namespace: within, name, lastRestart } = record;
    const at = lastRestart && new Date(lastRestart.atMs).toISOString();
    return {
      kind,
      namespace: within,
      name,
      ...statusOf(record, nowMs()),
      ...(at !== undefined && { lastRestartAt: at }),
    };
  });
  return { rows, workloads: rows, silence, leader: undefined, isInstallKnown: install.isKnown, missingRights };
}
