import { parseSourceId } from '../sources/source';
import { whatHappened, type RestartCause } from '../workloads/restart-cause';
import { maxHistoryKeys, type HistoryCause } from './history';

const texts = { changed: 'content changed', created: 'it was created', deleted: 'it was deleted' } as const;

/** The causes that `reroll.dev/last-restart` tells. Of several users, it does not tell which changed which source. */
export function causesTold(cause: RestartCause): readonly HistoryCause[] {
  const { sources, changes, by, moreUsers } = cause;
  const author = by.length === 1 && moreUsers === 0 ? by[0] : undefined;
  return [...sources].flatMap(([id, keys]) => {
    const source = parseSourceId(id);
    const change = changes.get(id);
    if (!source) return [];
    return [
      {
        ...{ ...source, why: texts[whatHappened(cause, id)] },
        ...(change !== undefined && { change }),
        ...(keys && { keys: keys.slice(0, maxHistoryKeys) }),
        ...(author !== undefined && { author }),
      },
    ];
  });
}
