import type { Baseline, Recorded } from '../baseline/baseline';
import { absent } from '../sources/content-digest';
import { sourceId, type SourceId, type SourceKind } from '../sources/source';
import type { PlanInput } from './plan-input';
import type { TrackedWorkload } from './tracked-workload';
import type { Verdict } from './verdict';

/** Kept of sources that are gone and that only a pattern names: hashed names come and go with each release. */
const maxGoneByPattern = 32;

/** What is to be recorded once the verdicts are acted on. */
export function nextBaseline(verdicts: readonly Verdict[], { workload, keyId }: PlanInput): Baseline {
  const old = workload.baseline;
  const sources = new Map<SourceId, Recorded>();
  const lasts = usedOrListed(workload);
  let goneByPattern = 0;
  for (const { id, kind, name, exists, comparison, deletionIgnored } of verdicts) {
    const recorded = deletionIgnored ? absent : (comparison?.recorded ?? old?.sources.get(id));
    if (recorded === undefined) continue;
    const lasting = exists || lasts(kind, id, name);
    if (lasting || goneByPattern++ < maxGoneByPattern) sources.set(id, recorded);
  }
  return { sequence: (old?.sequence ?? 0) + 1, keyId, uid: workload.record.uid, sources };
}

/** Tells what a workload names itself, in its template or in a list, from what a pattern alone has matched. */
export function usedOrListed({ record }: TrackedWorkload): (kind: SourceKind, id: SourceId, name: string) => boolean {
  const used = new Set(record.references.map((reference) => sourceId(reference)));
  return (kind, id, name) => used.has(id) || record.policy[kind].named.literals.has(name);
}
