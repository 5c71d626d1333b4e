import { reportedHoldOf } from '../../shared/domain/gates/reported-gates';
import { listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import { maxWorkloadRows } from '../../shared/domain/protocol/inspection-question';
import type { ReportedHold } from '../../shared/domain/protocol/install-hold';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { workloadPageSchema, workloadRow, type WorkloadRow } from '../../shared/domain/protocol/workload-page';
import type { Grounds } from '../cluster/ask-leader';
import { askPages } from '../cluster/ask-pages';
import type { Cluster } from '../cluster/cluster';
import { LeaderSilentError, noAnswer } from '../cluster/silence';
import { statusOf } from '../evidence/account';
import { readInstall } from '../evidence/install';
import { valueOf } from '../evidence/seen';
import { readInstallHold, whetherHeld } from '../evidence/seen-hold';
import { readWorkloads } from '../evidence/seen-workloads';

export type StatusRow = Tolerant<WorkloadRow>;

/** The workloads that something may restart, and their states. */
export interface Status extends Required<Grounds> {
  readonly rows: readonly StatusRow[];
  /** The hold of everything, while it is in force. */
  readonly hold: ReportedHold | undefined;
  /** The rows as the leader wrote them. */
  readonly workloads: readonly unknown[];
  /** The pod that answered. */
  readonly leader: string | undefined;
}

export interface StatusQuestion {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
}

/** @throws NoAnswerError, KubeError */
export async function readStatus(cluster: Cluster, question: StatusQuestion): Promise<Status> {
  const told = await askStatus(cluster, question);
  return told instanceof LeaderSilentError ? await fromObjects(cluster, question, told) : told;
}

/** By the leader alone, or why it does not answer. @throws KubeError */
export async function askStatus(
  cluster: Pick<Cluster, 'ask'>,
  question: Pick<StatusQuestion, 'namespace'>,
): Promise<Status | LeaderSilentError> {
  const told = await askPages(cluster, (token) => pagePath(question, token), workloadPageSchema);
  if (told.silence) return told.silence;
  const { pages } = told;
  const last = pages.at(-1);
  return {
    rows: pages.flatMap(({ said }) => said.workloads),
    workloads: pages.flatMap(({ body }) => listOf(objectOf(body)['workloads'])),
    ...{ hold: last?.said.hold, leader: last?.pod },
    ...{ silence: undefined, isInstallKnown: true, missingRights: [], notKnown: [] },
  };
}

function pagePath({ namespace = '' }: Pick<StatusQuestion, 'namespace'>, token: string): string {
  const query = new URLSearchParams({ namespace, limit: String(maxWorkloadRows), continue: token });
  return `/v1/workloads?${query.toString()}`;
}

/** Without the leader, the objects tell of pauses, of the last restart, and whether everything is held. */
async function fromObjects(
  { client, clock }: Cluster,
  { namespace, rerollNamespace, timeoutMs }: StatusQuestion,
  silence: LeaderSilentError,
): Promise<Status> {
  const install = await readInstall(client, rerollNamespace, { timeoutMs });
  const [{ records, missingRights, isAllHidden }, hold] = await Promise.all([
    readWorkloads(client, namespace, install, { timeoutMs }),
    readInstallHold(client, rerollNamespace, { timeoutMs }),
  ]);
  if (isAllHidden) throw noAnswer(silence, missingRights);
  const nowMs = clock.nowMs();
  const rows = records.map((record) => workloadRow(record, statusOf(record, nowMs)));
  return {
    ...{ rows, workloads: rows, silence, leader: undefined, isInstallKnown: install.isKnown, missingRights },
    hold: reportedHoldOf(valueOf(hold), nowMs),
    notKnown: hold.is === 'hidden' ? [whetherHeld(hold)] : [],
  };
}
