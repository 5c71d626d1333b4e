import { describeHold } from '../../shared/domain/protocol/install-hold';
import type { Cluster } from '../cluster/cluster';
import { describeFailure } from '../cluster/cluster-command';
import { readStatus, type StatusQuestion } from '../status/read-status';
import type { HistoryWatch } from './history-watch';
import type { HistoryEntry, Standing, WorkloadRow } from './model/live-message';
import { fixFor } from './standing';

/** What was read at one time. */
export interface Reading {
  readonly standing: Standing;
  /** Undefined: nobody answered, and what was read before is as good as any. */
  readonly found?: { readonly rows: readonly WorkloadRow[]; readonly history: readonly HistoryEntry[] };
}

/** Reads workloads and restarts. It never rejects: a page has to say what is wrong. */
export async function readLive(
  cluster: Cluster,
  question: StatusQuestion,
  historyWatch: Pick<HistoryWatch, 'read'>,
): Promise<Reading> {
  try {
    const { rows, hold, silence, leader, missingRights, notKnown, isInstallKnown } = await readStatus(
      cluster,
      question,
    );
    const history = silence ? undefined : await historyWatch.read();
    const flags = isInstallKnown ? [] : ["the flags of Reroll's Deployment are not known: the defaults are assumed"];
    const known = {
      ...(hold && { held: describeHold(hold) }),
      missing: [...missingRights, ...flags, ...notKnown],
      hasHistory: history !== undefined,
      ...(history?.keptSince !== undefined && { historySince: history.keptSince }),
    };
    const fix = silence && fixFor(silence, question.rerollNamespace);
    const standing: Standing = silence
      ? { ...known, from: 'objects', problem: silence.message, ...(fix !== undefined && { fix }) }
      : { ...known, from: 'leader', ...(leader !== undefined && { leader }) };
    return { standing, found: { rows, history: history?.entries ?? [] } };
  } catch (thrown) {
    const problem = describeFailure('ui', thrown);
    return { standing: { from: 'lost', problem, missing: [], hasHistory: false } };
  }
}
