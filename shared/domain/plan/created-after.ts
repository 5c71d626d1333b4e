import { isOlderVersion } from '../kubernetes/resource-version';
import { sourceId, type SourceRecord } from '../sources/source';
import type { TrackedWorkload } from './tracked-workload';

/**
 * For a source that was created in the same second in which a workload started to use it: whether the source is newer.
 * If one etcd assigned both resource versions, they decide, unless the source was written again since: then its version
 * is that of the later write. Otherwise the order of watch events decides; lists have no order.
 */
export function isCreatedAfter(
  { referencedSinceVersion, createdSince }: Pick<TrackedWorkload, 'referencedSinceVersion' | 'createdSince'>,
  source: SourceRecord,
  isComparable: boolean,
): boolean {
  const { createdAtMs, writtenAtMs = createdAtMs, resourceVersion } = source;
  if (isComparable && writtenAtMs === createdAtMs) return isOlderVersion(referencedSinceVersion, resourceVersion);
  return createdSince.has(sourceId(source));
}
