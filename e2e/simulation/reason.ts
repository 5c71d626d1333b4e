import type { WriteRecord } from '../apiserver/store';
import { matches, recordedOf, sourceOfEntry, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { countedFromMs } from './counting';
import type { SourceName, Version } from './contents';
import { isListedBeforeLeading, isOnlyFormatted, mayBeListedBefore, mayHaveCounted } from './judge-counted';
import { silentMs } from './known-within';
import type { Life } from './lives';
import { lostWrites, recordsLost } from './restored';
import { isClass, rulesFor } from './rotations';
import type { Rules } from './rules';
import { sourceSelectorOf } from './selection';
import type { Use } from './usage';

type Entry = WrittenBaseline['sources'][string];

/**
 * The longest lag of a watch. A change from before a workload's creation that arrives after it looks like a new change.
 */
export const latestWatchMs = 10_000;

/** Whether something that the workload uses changed between what was recorded and what the restart records. */
export function reasonFor(
  opened: Case,
  life: Life,
  write: WriteRecord,
  before: WrittenBaseline | undefined,
  after: WrittenBaseline,
): boolean {
  const { contents, rules } = opened;
  const { object, revision, user, atMs } = write;
  const usage = opened.usageOf(object);
  // Timestamps of objects are whole seconds, so the order within one second is not known.
  const bornMs = Math.floor(life.writes[0].atMs / 1000) * 1000;
  const changedInLife = (source: string, sinceMs: number): boolean => {
    // The first creation of a source restarts nothing without reloadOnCreate.
    const first = contents.versions(source).find(({ content }) => content !== undefined)?.revision;
    const created = rulesFor(source, rules).reloadOnCreate ? undefined : first;
    const late = lateChanges(opened, life, source, [user]);
    return contents
      .changes(source, 'all', 0, revision)
      .some(
        (change) =>
          change.revision !== created && (datedAtMs(opened, source, change) >= sinceMs || late.includes(change)),
      );
  };
  // If the pods that showed a rotation are gone, nobody knows any more when it happened. A restore of etcd does not
  // undo what a driver fetched from outside: a process that saw such a rotation remembers it.
  const rotatedInLife = (source: string): boolean =>
    lostWrites(opened, source).some(({ atMs: lostMs }) => lostMs >= bornMs) ||
    contents.changes(source, 'all', 0, revision).some(({ atMs }) => atMs >= bornMs) ||
    [undefined, firstWriteOf(opened, user)].some((seen) => (contents.witnessedSinceMs(source, seen) ?? -1) >= bornMs);
  const writtenInLife = (source: string): boolean => (isClass(source) ? rotatedInLife(source) : isWritten(source));
  // A write that shows late is a change in doubt, if the content before it can no longer be read, or if the process
  // recorded that content in memory alone. The number in its next baseline shows that it did.
  const isKeptInMemory = write.type === 'MODIFIED' && before === undefined && after.n > 1;
  const writtenSinceMs = rules.refusesPast || isKeptInMemory ? bornMs - latestWatchMs : bornMs;
  const isWritten = (source: string): boolean =>
    lostWrites(opened, source).length > 0 ||
    contents
      .writes(source)
      .some((each) => each.type === 'MODIFIED' && each.revision <= revision && each.atMs >= writtenSinceMs) ||
    changedInLife(source, bornMs) ||
    isReadTooLate(opened, source, write);
  const wentSince = (source: string, sinceMs: number): boolean => {
    const late = lateChanges(opened, life, source, [user]);
    const removals = contents.changes(source, 'all', 0, revision).filter(({ content }) => content === undefined);
    return (
      removals.some((removal) => removal.atMs >= sinceMs || late.includes(removal)) ||
      lostWrites(opened, source).some((lost) => lost.type === 'DELETED' && lost.atMs >= sinceMs)
    );
  };
  return Object.entries(after.sources).some(([id, entry]) => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    const use = usage.get(source ?? '');
    if (source === undefined || !use || !mayCount(opened, source, use, atMs)) return false;
    // A baseline under another digest key says nothing about the content.
    const former = before?.key === after.key ? before?.sources[id] : undefined;
    // A source that was recorded before has been deleted since, perhaps before this object was created: while its Job
    // was being recreated.
    if (entry === '-') {
      // A record that was refused for a missing permission is kept in memory. The numbers count it, too.
      const isKnownToBeAbsent = former === '-' && after.n === (before?.n ?? 0) + 1;
      const sinceMs = former === undefined || former === '-' ? bornMs : 0;
      // What a restore of etcd undid seems to be deleted to who restarted for it before that was known.
      const isUndone = former !== undefined && recordsLost(opened, source, former);
      return rules.reloadOnDelete && !isKnownToBeAbsent && (isUndone || wentSince(source, sinceMs));
    }
    // Nothing was recorded, or (below) that the source is absent. It is not known which keys changed, so one restart in
    // doubt is right.
    if (former === undefined) {
      if (cameInEdited(opened, life, source, bornMs, write)) return true;
      const countedMs = countedFromMs(opened, life, source, write);
      return countedMs > bornMs ? changedInLife(source, countedMs) : writtenInLife(source);
    }
    if (former === '-') return writtenInLife(source);
    // Pods that started while the restart waited may have something else, whatever the source holds now.
    if (before?.inDoubt?.includes(id)) return true;
    // With another list the record of before says nothing about the keys that have begun to count.
    const isSameList = before?.filters?.[id] === after.filters?.[id];
    if (isSameList && isOnlyFormatted(opened, life, source, [former, entry], write)) return false;
    const mayCountOf = (key: string): boolean => mayHaveCounted(opened, life, source, key, write);
    // The record of a list has no digest of a key that is gone.
    const isGone = (key: string): boolean => typeof entry === 'object' && entry[key] === undefined;
    const isFiltered = after.filters?.[id] !== undefined && typeof former === 'object';
    return (
      (isFiltered && Object.keys(former).some((key) => isGone(key) && mayCountOf(key))) ||
      (isFiltered && isListedBeforeLeading(opened, life, source, write) && writtenInLife(source)) ||
      (isFiltered && mayBeListedBefore(opened, life, source, write)) ||
      (after.filters?.[id] !== undefined && lateRemovals(opened, source, write).some(mayCountOf)) ||
      (differ(former, entry, mayCountOf) ?? writtenInLife(source))
    );
  });
}

/**
 * Whether the server compacted what the source contained before a write, and the process that restarts had not read it
 * by then. Nobody knows whether that write removed a key, even if it only set an annotation.
 */
function isReadTooLate(
  { compactions, contents, lives }: Case,
  source: SourceName,
  { user, revision }: WriteRecord,
): boolean {
  const isReadBefore = (until: number): boolean =>
    hasRecorded(lives, user, source, (entry, write) => entry !== '-' && write.revision <= until);
  return contents.writes(source).some((write, index, all) => {
    const former = all[index - 1];
    if (write.type !== 'MODIFIED' || write.revision > revision || !former) return false;
    return compactions.some((compacted) => former.revision <= compacted && !isReadBefore(compacted));
  });
}

/** Whether the process has recorded the source on any workload in such a way. */
function hasRecorded(
  lives: Case['lives'],
  process: string,
  source: SourceName,
  like: (entry: Entry, write: WriteRecord) => boolean,
): boolean {
  return lives.some(({ writes }) =>
    writes.some((write) => {
      const entry = write.user === process ? recordedOf(write.object).get(source) : undefined;
      return entry !== undefined && like(entry, write);
    }),
  );
}

/** The revision of the process's first write. By then the process was listing what it did not know yet. */
function firstWriteOf({ history }: Case, process: string): number | undefined {
  return history.find(({ user }) => user === process)?.revision;
}

/**
 * Whether a label may have selected the source after it was edited in the workload's life, and before the workload was
 * recorded. A process that first sees the source then does not learn the earlier content. An edit from before the
 * workload's life may look to it like one in its life, too.
 */
function cameInEdited(opened: Case, life: Life, source: SourceName, bornMs: number, write: WriteRecord): boolean {
  const { stored, rules } = opened;
  if (sourceSelectorOf(rules) === undefined) return false;
  const isEditedInLife = stored.changes(source, 'all', 0, write.revision).some(({ atMs }) => atMs >= bornMs);
  return isEditedInLife || lateChanges(opened, life, source, [write.user], stored).length > 0;
}

/** A restart that is in progress by then may take this long to finish. */
const underWayMs = 10_000;

/**
 * Whether the source's own annotations may let it count, as far as the process that restarts can know. The annotations
 * of a deleted source are forgotten.
 */
function mayCount({ flags, contents, rules }: Case, source: SourceName, use: Use, atMs: number): boolean {
  const isWell = rules.shownWithinMs < Infinity;
  if (!isWell && contents.versions(source).at(-1)?.content === undefined) return true;
  return flags.countedSince(source, use, atMs - (isWell ? rules.shownWithinMs + underWayMs : silentMs));
}

/**
 * Undefined if the two entries do not record the same keys. Then the digests cannot be compared, and any change in the
 * workload's life must be enough.
 */
export function differ(
  former: Entry,
  entry: Entry,
  counts: (key: string) => boolean = () => true,
): boolean | undefined {
  if (typeof former === 'string' && typeof entry === 'string') return former !== entry;
  if (typeof former === 'string' || typeof entry === 'string') return undefined;
  const keys = Object.entries(entry);
  if (keys.some(([key]) => former[key] === undefined)) return undefined;
  return keys.some(([key, digest]) => former[key] !== digest && counts(key));
}

/** The clocks may differ by this much, and timestamps are whole seconds. */
const toleranceMs = 2_000;

/**
 * Changes from before the workload's creation that may look to one of the processes like later changes:
 *
 * - A removal, of a key or of the whole source if that counts as a change. The server keeps no time for it. If a list
 *   shows it together with other writes, the times of those may be older.
 * - A change of a content that the server compacted before it was read. Nobody knows whether a key was removed from it.
 * - The creation of a source in the place of another one. If a list shows it first, and it lacks a key of its
 *   predecessor, or nobody read what keys that had, a key may have been removed since.
 *
 * A process dates all of them by when it learns of them, which is minutes later if its watch was down. A process that
 * has recorded what is left did know of the change.
 *
 * `contents` holds the states to look at: by default those of selected sources.
 */
export function lateChanges(
  { contents: selected, lives, digests, rules, compactions }: Case,
  { writes: [born] }: Life,
  source: SourceName,
  processes: readonly string[],
  contents = selected,
): readonly Version[] {
  const isForgotten = (former: Version | undefined): boolean =>
    former !== undefined && compactions.some((compacted) => former.revision <= compacted);
  const knew = (process: string, change: Version): boolean =>
    hasRecorded(lives, process, source, (entry, write) => {
      if (!digests || write.atMs > born.atMs - toleranceMs) return false;
      const formers = contents.versions(source).filter(({ revision }) => revision < change.revision);
      return formers.every(({ content }) => !matches(digests, source, content, entry));
    });
  const hasRead = (process: string, { content }: Version): boolean =>
    hasRecorded(lives, process, source, (entry) => digests !== undefined && matches(digests, source, content, entry));
  const versions = contents.versions(source).filter(({ revision }) => revision < born.revision);
  const mayHaveLostKeys = (process: string, version: Version, index: number): boolean => {
    const { shownWithinMs, firstListsAreLate } = rules;
    if (shownWithinMs < Infinity && !firstListsAreLate) return false;
    if (version.content === undefined || version.atMs + shownWithinMs < born.atMs) return false;
    if (versions[index - 1]?.content !== undefined) return false;
    const predecessor = versions.slice(0, index).findLast(({ content }) => content !== undefined);
    if (!predecessor) return false;
    return removedKeys(predecessor, version).length > 0 || !hasRead(process, predecessor);
  };
  return versions.filter((version, index) => {
    const former = versions[index - 1];
    const isDatedLate = removes(former, version, rules) || isForgotten(former);
    return processes.some(
      (process) => (isDatedLate || mayHaveLostKeys(process, version, index)) && !knew(process, version),
    );
  });
}

/**
 * Keys that were removed shortly before a write. A removal leaves no time, so its process cannot tell whether a key was
 * removed before it began to count, or since.
 */
function lateRemovals(
  { contents, rules }: Case,
  source: SourceName,
  { revision, atMs }: WriteRecord,
): readonly string[] {
  const versions = contents.versions(source).filter((version) => version.revision <= revision);
  // A partition may keep a watch silent for longer than a watch lags.
  const sinceMs = atMs - Math.max(latestWatchMs, rules.knownWithinMs);
  return versions.flatMap((version, index) => {
    if (version.atMs < sinceMs) return [];
    return removedKeys(versions[index - 1], version);
  });
}

/** The latest time by which a process may date the change: a removal leaves no time, so it is dated by its arrival. */
function datedAtMs({ contents, rules }: Case, source: SourceName, change: Version): number {
  const before = contents.versions(source).findLast(({ revision }) => revision < change.revision);
  const isDatedByArrival = rules.shownWithinMs < Infinity && removes(before, change, rules);
  return isDatedByArrival ? change.atMs + rules.shownWithinMs : change.atMs;
}

function removes(before: Version | undefined, version: Version, { reloadOnDelete }: Rules): boolean {
  if (version.content === undefined) return reloadOnDelete;
  return removedKeys(before, version).length > 0;
}

function removedKeys(before: Version | undefined, { content }: Version): readonly string[] {
  return [...(before?.content?.keys() ?? [])].filter((key) => content?.has(key) !== true);
}
