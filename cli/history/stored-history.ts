import { budgets } from '../../shared/domain/budgets';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { historyDataKey, historyName } from '../../shared/domain/protocol/history';
import {
  checkedSegment,
  historyOf,
  HistorySegmentError,
  newestFirst,
  type History,
} from '../../shared/domain/protocol/history-line';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { look } from '../evidence/seen';

/** What the ConfigMaps of Reroll's namespace tell, or why they tell nothing. */
export type StoredHistory =
  { readonly history: History; readonly notices: readonly string[] } | { readonly why: string };

/** Reads the ConfigMaps that the leader keeps the history in. */
export async function readConfigMaps(
  client: KubeClient,
  { rerollNamespace: namespace, timeoutMs }: { readonly rerollNamespace: string; readonly timeoutMs: number },
): Promise<StoredHistory> {
  const segments: string[] = [];
  const notices: string[] = [];
  for (let index = 0; index < budgets.historySegments; index++) {
    const name = historyName(index);
    const seen = await look(getObject(client, configMaps, namespace, name, { timeoutMs }));
    if (seen.is === 'hidden') return { why: `${seen.right}, so the ConfigMaps of the history are not read` };
    // Somebody may have deleted one. The leader writes on in the last, and the newest restarts are there.
    if (seen.is === 'absent') continue;
    try {
      segments.push(checkedSegment(textOf(fieldAt(seen.value, ['data', historyDataKey])) ?? ''));
    } catch (thrown) {
      if (!(thrown instanceof HistorySegmentError)) throw thrown;
      notices.push(`ConfigMap ${namespace}/${name} is left out: ${thrown.message}`);
    }
  }
  if (segments.length === 0) return { why: `there is no history in ConfigMaps of namespace ${namespace}` };
  return { history: newestFirst(historyOf(segments)), notices };
}
