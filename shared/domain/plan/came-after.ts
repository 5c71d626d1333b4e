import { isOlderVersion } from '../kubernetes/resource-version';
import { sourceId, type SourceRecord } from '../sources/source';
import type { TrackedWorkload } from './tracked-workload';

/**
 * For a source that is as old as the workload, or older: whether it came to count after the workload began to use it.
 * If one etcd assigned both resource versions, they decide: that with which the source was first shown, else
 * `cameVersion`, if that is known to be the version with which it came. Otherwise the order of watch events decides;
 * lists have no order.
 */
export function cameAfter(
  { referencedSinceVersion, shownSince }: Pick<TrackedWorkload, 'referencedSinceVersion' | 'shownSince'>,
  source: SourceRecord,
  isComparable: boolean,
  cameVersion: string | undefined,
): boolean {
  const shownVersion = shownSince.get(sourceId(source));
  if (!isComparable) return shownVersion !== undefined;
  const version = shownVersion ?? cameVersion;
  return version !== undefined && isOlderVersion(referencedSinceVersion, version);
}
