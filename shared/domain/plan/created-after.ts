import { isOlderVersion } from '../kubernetes/resource-version';
import { sourceId, type SourceRecord } from '../sources/source';
import type { TrackedWorkload } from './tracked-workload';

/**
 * Whether a source that was created within the second in which a workload came to use it was created after that. Where one etcd
 * has given out their versions, these tell, but for a source that was written again since: its version is of that. Else the order
 * counts in which the watches have shown them; what lists show has none.
 */
export function isCreatedAfter(
  { referencedSinceVersion, createdSince }: Pick<TrackedWorkload, 'referencedSinceVersion' | 'createdSince'>,
  { kind, name, createdAtMs, writtenAtMs = createdAtMs, resourceVersion }: SourceRecord,
  isComparable: boolean,
): boolean {
  if (isComparable && writtenAtMs === createdAtMs) return isOlderVersion(referencedSinceVersion, resourceVersion);
  return createdSince.has(sourceId(kind, name));
}
