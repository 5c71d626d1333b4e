import { historyPageSchema } from '../../shared/domain/protocol/history';
import type { Cluster } from '../cluster/cluster';
import { askLeader } from '../cluster/ask-leader';
import type { LeaderSilentError } from '../cluster/silence';
import type { HistoryEntry, ObjectName } from './model/live-message';

/** The restarts that the leader remembers. */
export interface ReadHistory {
  readonly entries: readonly HistoryEntry[];
  /** Since when it remembers all of them; undefined: nothing was dropped. */
  readonly keptSince: string | undefined;
}

/** Of which restarts, and how many of them at most. */
export interface HistoryQuestion extends Partial<ObjectName> {
  readonly limit: number;
}

/** The newest restarts, or why the leader does not tell them. @throws KubeError */
export async function readHistory(
  cluster: Pick<Cluster, 'ask'>,
  { kind = '', namespace = '', name = '', limit }: HistoryQuestion,
): Promise<ReadHistory | LeaderSilentError> {
  const query = new URLSearchParams({ kind, namespace, name, limit: String(limit) });
  for (const [field, value] of [...query]) if (value === '') query.delete(field);
  const told = await askLeader(cluster, `/v1/history?${query.toString()}`, historyPageSchema);
  if (told.silence) return told.silence;
  const { entries, keptSince } = told.said;
  return { entries, keptSince };
}
