import { everyKey } from '../../shared/domain/sources/content-digest';
import { answeredBy } from '../cluster/ask-leader';
import type { Preview } from './preview';
import type { Headline } from './preview-headline';
import { changedKeys, type SourceChange } from './source-change';

/** What happens to a source. `assumed`: its content may not be read. */
export type SourceFate = 'changed' | 'unchanged' | 'created' | 'deleted' | 'assumed' | 'refused' | 'missing';

export function whatHappensTo(change: SourceChange): SourceFate {
  const { before, after, refusal, missingRight } = change;
  if (refusal !== undefined) return 'refused';
  if (!before && !after) return 'missing';
  if (!before) return 'created';
  if (!after) return 'deleted';
  if (missingRight !== undefined) return 'assumed';
  return changedKeys(change).length === 0 ? 'unchanged' : 'changed';
}

/** The keys that change; `all` if they cannot be told apart. */
export function keysOf(of: SourceChange | { readonly changedKeys: readonly string[] }): 'all' | readonly string[] {
  const keys = 'changedKeys' in of ? of.changedKeys : changedKeys(of);
  return keys.length === 1 && keys[0] === everyKey ? 'all' : keys;
}

/** The output of `-o json` and `-o yaml`. Names keys, and no value. */
export function previewReport(preview: Preview, headline: Headline): object {
  return {
    v: 1,
    sources: preview.sources.map(({ change }) => ({
      ...change.source,
      change: whatHappensTo(change),
      keys: keysOf(change),
      ...(change.missingRight !== undefined && { missingRight: change.missingRight }),
    })),
    workloads: preview.workloads.map(({ effects, ...workload }) => ({
      ...workload,
      sources: effects.map(({ source: { kind, name }, changedKeys: changed, ...effect }) => ({
        ...{ kind, name, ...effect },
        changedKeys: keysOf({ changedKeys: changed }),
      })),
    })),
    notResolved: preview.unresolved,
    answer: headline.text,
    ...answeredBy(preview),
  };
}
