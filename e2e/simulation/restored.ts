import type { WriteRecord } from '../apiserver/store';
import { matches, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { decodedData, type SourceName } from './contents';
import { isEngine } from './engine-user';
import { isClass, isOfPodStatus, mountedOf, rotationOf } from './rotations';

/**
 * A restore of etcd, as the judge sees it. The writes between backup and restore never happened, and everything
 * continues from the backup. Baselines are as old as the objects that carry them, and the current content of the
 * sources is owed against them. A change from before the backup that was answered after it is answered again. A lost
 * change is owed nothing.
 *
 * No process can know of a restore at once. What a process had seen counts for it until it has asked for its Lease, or
 * has lost it. Until then it may restart for a content that no longer exists, and then again for the one that does. A
 * process also remembers what the sources held in the undone time. If nothing was recorded yet, it may be in doubt. A
 * source that is removed before it is listed again is recorded as it was last seen.
 */
export interface Restored {
  readonly atMs: number;
  /** The writes that the restore undid. */
  readonly lost: readonly WriteRecord[];
}

/** A term lasts for 10 s without an answer about the Lease. After that, requests that were sent before still arrive. */
const unawareMs = 15_000;

/** Whether the write is by an engine that may not know yet that etcd was restored. */
export function isUnaware(opened: Case, write: WriteRecord): boolean {
  return isEngine(write.user) && isOfUnawareTime(opened, write);
}

/** Whether, at the time of the write, a process may not know yet that etcd was restored. */
export function isOfUnawareTime({ restored }: Case, { atMs }: Pick<WriteRecord, 'atMs'>): boolean {
  return restored !== undefined && atMs < restored.atMs + unawareMs;
}

/** The writes to the source that the restore undid. */
export function lostWrites({ restored }: Case, source: SourceName): readonly WriteRecord[] {
  return (
    restored?.lost.filter((write) =>
      isOfPodStatus(write) ? rotationOf(write)?.source === source : `${write.kind.kind} ${write.key}` === source,
    ) ?? []
  );
}

/** Whether an entry records a content that the restore undid. */
export function recordsLost(opened: Case, source: SourceName, entry: WrittenBaseline['sources'][string]): boolean {
  const { digests } = opened;
  return lostWrites(opened, source).some((write) => {
    const content = isOfPodStatus(write) ? mountedOf(write.object).content : decodedData(write.object);
    return digests !== undefined && matches(digests, source, content, entry);
  });
}

/**
 * Whether an entry records what pods mounted from a class in the time that the restore undid. A CSI driver fetches
 * from outside, so a restore of etcd does not change what is mounted. What a process saw of it stays true, even if no
 * current pod status shows it.
 */
export function isMountedFromBefore(
  opened: Case,
  source: SourceName,
  entry: WrittenBaseline['sources'][string] | undefined,
): boolean {
  return isClass(source) && entry !== undefined && recordsLost(opened, source, entry);
}
