import type { WriteRecord } from '../apiserver/store';
import { matches, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { decodedData, type SourceName } from './contents';
import { isEngine } from './engine-user';
import { isClass, isOfPodStatus, mountedOf, rotationOf } from './rotations';

/**
 * A restore of etcd, to the judge: what was written between backup and restore never was, and everything goes on from the
 * backup. So baselines are as old as the objects that carry them, and what the sources hold today is owed against them: a change
 * from before the backup that was answered after it is answered once more, and a change that was lost is owed nothing.
 *
 * Nobody can know of a restore at once. What a process had seen counts for it until it has asked for its Lease, or has lost it;
 * meanwhile it may restart for a content that is no more, and then once more for the one that is. And a process remembers what
 * the sources held in those hours: where nothing was recorded yet it may be in doubt, and what went before it was listed again is
 * recorded as it was last seen.
 */
export interface Restored {
  readonly atMs: number;
  /** What was undone. */
  readonly lost: readonly WriteRecord[];
}

/** A term lasts for ten seconds without an answer about the Lease; then what was sent before arrives. */
const unawareMs = 15_000;

/** Whether this is a write of a process that may not know yet that etcd was restored. */
export function isUnaware(opened: Case, write: WriteRecord): boolean {
  return isEngine(write.user) && isOfUnawareTime(opened, write);
}

/** Whether there may be a process that does not know yet that etcd was restored, when this is written. */
export function isOfUnawareTime({ restored }: Case, { atMs }: WriteRecord): boolean {
  return restored !== undefined && atMs < restored.atMs + unawareMs;
}

/** What was written to the source in the time that never was. */
export function lostWrites({ restored }: Case, source: SourceName): readonly WriteRecord[] {
  return (
    restored?.lost.filter((write) =>
      isOfPodStatus(write) ? rotationOf(write)?.source === source : `${write.kind.kind} ${write.key}` === source,
    ) ?? []
  );
}

/** Whether an entry records a content that was undone. */
export function recordsLost(opened: Case, source: SourceName, entry: WrittenBaseline['sources'][string]): boolean {
  const { digests } = opened;
  return lostWrites(opened, source).some((write) => {
    const content = isOfPodStatus(write) ? mountedOf(write.object).content : decodedData(write.object);
    return digests !== undefined && matches(digests, source, content, entry);
  });
}

/**
 * Whether pods have, and an entry records, what a class held in the time that never was. A driver fetches from outside: what it has
 * mounted is not restored with etcd, and what a process saw of it stays true, though no pod status of today shows it.
 */
export function isMountedFromBefore(
  opened: Case,
  source: SourceName,
  entry: WrittenBaseline['sources'][string] | undefined,
): boolean {
  return isClass(source) && entry !== undefined && recordsLost(opened, source, entry);
}
