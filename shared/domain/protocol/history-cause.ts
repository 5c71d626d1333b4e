import { parseSourceId } from '../sources/source';
import type { RestartCause } from '../workloads/restart-cause';
import { maxHistoryKeys, type HistoryCause } from './history';

/** The causes that `reroll.dev/last-restart` tells. Of several users, it does not tell which changed which source. */
export function causesTold({ sources, changes, by, moreUsers }: RestartCause): readonly HistoryCause[] {
  const author = by.length === 1 && moreUsers === 0 ? by[0] : undefined;
  return [...sources].flatMap(([id, keys]) => {
    const source = parseSourceId(id);
    const change = changes.get(id);
    if (!source) return [];
    return [
      {
        ...{ ...source, why: 'content changed' },
        ...(change !== undefined && { change }),
        ...(keys && { keys: keys.slice(0, maxHistoryKeys) }),
        ...(author !== undefined && { author }),
      },
    ];
  });
}
