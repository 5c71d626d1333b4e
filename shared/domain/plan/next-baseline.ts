import type { Baseline } from '../baseline/baseline';
import type { Recorded } from '../baseline/recorded';
import { renewedRecord } from '../baseline/comparison';
import { absent } from '../sources/content-digest';
import { hasContent, sourceId, type SourceId, type SourceKind } from '../sources/source';
import type { PlanInput } from './plan-input';
import type { TrackedWorkload } from './tracked-workload';
import type { Verdict } from './verdict';

/**
 * The number of records kept for sources that no longer exist and that only a pattern matches. Names that contain a
 * hash come and go with each release.
 */
const maxGoneByPattern = 32;

/** The baseline to record once the verdicts have been acted on. */
export function nextBaseline(verdicts: readonly Verdict[], { workload, sources: known, keyId }: PlanInput): Baseline {
  const old = workload.baseline;
  const sources = new Map<SourceId, Recorded>();
  const keeps = fewGoneByPattern(workload);
  /** What is recorded of a source that is not compared, because it does not count now. */
  const kept = (id: SourceId, kind: SourceKind, name: string): Recorded | undefined => {
    const recorded = old?.sources.get(id);
    const source = known.get({ kind, name, namespace: workload.record.namespace });
    return recorded && source && hasContent(source) ? renewedRecord(recorded, source.content) : recorded;
  };
  for (const verdict of verdicts) {
    const { id, kind, name, comparison, deletionIgnored } = verdict;
    const recorded = deletionIgnored ? absent : (comparison?.recorded ?? kept(id, kind, name));
    if (recorded !== undefined && keeps(verdict)) sources.set(id, recorded);
  }
  return { sequence: (old?.sequence ?? 0) + 1, keyId, uid: workload.record.uid, sources };
}

/**
 * The changes that stay owed while a restart waits. Of what is gone and only a pattern matched, a few are enough for that
 * restart: a wait may be long, and what comes and goes meanwhile would fill the record.
 */
export function keptOwed(changes: readonly Verdict[], workload: TrackedWorkload): readonly Verdict[] {
  return changes.filter(fewGoneByPattern(workload));
}

/** Returns a predicate that keeps all verdicts but those of further sources that are gone and that only a pattern matches. */
function fewGoneByPattern(workload: TrackedWorkload): (verdict: Verdict) => boolean {
  const lasts = usedOrListed(workload);
  let goneByPattern = 0;
  return ({ id, kind, name, exists }) => exists || lasts(kind, id, name) || goneByPattern++ < maxGoneByPattern;
}

/**
 * Returns a predicate: whether the workload names a source itself, in its template or literally in a list. It is false
 * for a source that only a pattern matches.
 */
export function usedOrListed({ record }: TrackedWorkload): (kind: SourceKind, id: SourceId, name: string) => boolean {
  const used = new Set(record.references.map((reference) => sourceId(reference)));
  return (kind, id, name) => used.has(id) || record.policy[kind].named.literals.has(name);
}
