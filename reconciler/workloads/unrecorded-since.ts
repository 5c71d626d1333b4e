import { candidates } from '../../shared/domain/plan/candidates';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { decide, type PolicySettings } from '../../shared/domain/policy/policy';
import { sameReferences } from '../../shared/domain/sources/references';
import { sourceId, type SourceId } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';

type Since = TrackedWorkload['referencedSinceMs'];

/** A workload before its annotations or its template were edited. */
export type WorkloadBefore = Pick<TrackedWorkload, 'record' | 'baseline' | 'referencedSinceMs' | 'unrecordedSince'>;

const nothing: ReadonlyMap<SourceId, Since> = new Map();

/**
 * Since when the workload has used the sources that its baseline does not record, although they counted before an edit of
 * its annotations: nobody could read them. The edit rolls no pods, so it must not make their changes look older.
 */
export function unrecordedSince(
  before: WorkloadBefore | undefined,
  { references }: Pick<WorkloadRecord, 'references'>,
  settings: PolicySettings,
): TrackedWorkload['unrecordedSince'] {
  if (!before?.baseline || !sameReferences(before.record.references, references)) return nothing;
  const { baseline, record } = before;
  const found = new Map<SourceId, Since>();
  // Patterns find no others: nobody could read them, so their names are not known.
  for (const source of candidates({ workload: before, sources: { namesIn: () => [] } })) {
    const id = sourceId(source);
    // Annotations of the source are dated by themselves.
    const isCounted = decide(record.policy, record.kind, { ...source, ignore: false, match: true }, settings).restart;
    if (isCounted && !baseline.sources.has(id))
      found.set(id, before.unrecordedSince.get(id) ?? before.referencedSinceMs);
  }
  return found.size === 0 ? nothing : found;
}
