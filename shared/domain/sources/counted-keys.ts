import { budgets } from '../budgets';
import { KeyFilter } from '../text/key-filter';
import { everyKey, type ContentDigest } from './content-digest';

/** The keys of a source whose changes count for a workload: all, those that it uses one by one, or those of a filter. */
export type CountedKeys = 'all' | readonly string[] | KeyFilter;

/** What counts of the keys that a workload uses. Keys that it uses one by one are known, and need no filter any more. */
export function countedKeys(used: 'all' | readonly string[], filter: KeyFilter | undefined): CountedKeys {
  if (!filter) return used;
  return used === 'all' ? filter : used.filter((key) => filter.counts(key));
}

/** Only some keys of the content are to count, but it has too many to tell them apart, so a change of any key counts. */
export function isIndistinct(content: ContentDigest, keys: CountedKeys): boolean {
  if (keys === 'all') return false;
  return content.isCoarse || (keys instanceof KeyFilter && content.keyNames.length > budgets.filteredKeys);
}

/** The keys of these contents that count, each once. A content whose keys are not distinguished has only {@link everyKey}. */
export function keysThatCount(keys: CountedKeys, names: Iterable<string>): readonly string[] {
  if (keys === 'all') return [...new Set(names)];
  if (!(keys instanceof KeyFilter)) return keys;
  return [...new Set(names)].filter((name) => name === everyKey || keys.counts(name));
}
