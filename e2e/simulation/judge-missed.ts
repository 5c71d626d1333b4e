import type { WriteRecord } from '../apiserver/store';
import { baselineOf, matches, recordedOf } from './baseline-text';
import type { Case } from './case';
import { owedSince, recordedWhenBegun } from './counting';
import { decodedData, sameKeys, type Content, type Contents, type Keys } from './contents';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { notTakenBack } from './judge-altered';
import { isOwed, sameValue } from './judge-counted';
import { isLeftForGood } from './judge-deferred';
import { isOfEngine, namespaceOf, isRolled, lossesOf, type Life } from './lives';
import { isMountedFromBefore, isOfUnawareTime, isUnaware, lostWrites } from './restored';
import { isClass, rulesFor } from './rotations';
import type { Rules } from './rules';
import { sourceSelectorOf, type Turn } from './selection';
import { templateOf } from './usage';

/**
 * No change may be missed: at the end, what a workload uses is what it was when the workload's pods last started, or
 * when the workload came under Reroll's care. A source that did not exist then, or does not exist now, counts only if
 * creations or deletions restart.
 */
export function checkMissed(opened: Case): readonly Violation[] {
  const { contents, rules } = opened;
  return opened.present.filter(isRolled).flatMap((life) => {
    const last = life.writes.at(-1) ?? life.writes[0];
    const ofLife = [
      lastTemplateChange(life),
      inCareSince(opened, life),
      lastForgotten(opened, life),
      notTakenBack(opened, life),
      lastRekeyed(opened, life),
      adoptedUnaware(opened, life),
    ];
    return [...opened.usageAt(last.object)].flatMap(([source, keys]): readonly Violation[] => {
      const since = Math.max(
        ...ofLife,
        owedSince(opened, life, source),
        readableSince(opened, life, source),
        selectedSince(opened, life, source, keys),
      );
      const now = contents.versions(source).at(-1)?.content;
      // If the rotated pods are gone, perhaps nobody knew of the rotation.
      if (isClass(source) && contents.witnessedSinceMs(source) === undefined) return [];
      const differing = changed(rulesFor(source, rules), keys, contents.settledAt(source, since), now);
      const missed = differing.filter((key) => isOwed(opened, life, source, key, since));
      // What the pods really read counts too: a change within the second of the creation may have been reverted.
      if (missed.length === 0 || changed(rulesFor(source, rules), keys, contents.at(source, since), now).length === 0)
        return [];
      if (cameBack(opened, source, keys, since)) return [];
      if (wasUnknown(contents, life, source, since) || cameUnseen(opened, life, source, since)) return [];
      if (isLeftForGood(opened, life, source)) return [];
      if (countsAgain(opened, life, source) || isMountedFromBefore(opened, source, recordedOf(last.object).get(source)))
        return [];
      if (recordedOf(last.object).get(source) === '-' && contents.isRotatedBack(source)) return [];
      const sentence = `${life.name} has run since revision ${since} with a former ${missed.join(', ')} of ${source}`;
      return [{ promise: 'missed change', sentence }];
    });
  });
}

/**
 * The revision at which a workload came under Reroll's care. If it existed before any process led, that is when the
 * process that first recorded it began to lead: what an earlier process saw, but had not recorded when it was killed,
 * is lost. The same is true if the earlier process could not record it for a minute: its successor takes it for a
 * workload that only now opts in.
 */
function inCareSince(opened: Case, life: Life): number {
  const [born] = life.writes;
  const adopter = adopterOf(life);
  if (!adopter) return opened.firstLedRevision;
  const since = opened.ledSince(adopter.user);
  const isOlder = born.revision < opened.firstLedRevision || born.atMs < renewedBeforeMs(opened, adopter) - handoverMs;
  return isOlder ? since : opened.firstLedRevision;
}

/** The write that first recorded the workload. */
function adopterOf({ writes }: Life): WriteRecord | undefined {
  return writes.find((write) => isOfEngine(write) && baselineOf(write.object));
}

/** A workload that was created this long before the last renewal of the previous leader seems to be known to it. */
const handoverMs = 60_000;

/** When another process last renewed the Lease before the author of this write began to lead. */
function renewedBeforeMs(opened: Case, { user }: WriteRecord): number {
  const since = opened.ledSince(user);
  const renewal = opened.history.findLast(
    (write) => write.revision < since && write.kind.kind === 'Lease' && isEngine(write.user) && write.user !== user,
  );
  return renewal?.atMs ?? -Infinity;
}

/**
 * If a source could not be listed when its workload was first recorded, it is known since the process led that recorded
 * it later.
 */
function readableSince(opened: Case, { writes }: Life, source: string): number {
  const all = writes.filter((write) => isOfEngine(write) && baselineOf(write.object));
  // What was recorded under a digest key that is lost counts for nothing.
  const keyOf = (write: WriteRecord | undefined): string | undefined => baselineOf(write?.object)?.key;
  const recordings = all.filter((write) => keyOf(write) === keyOf(all.at(-1)));
  const [adopter] = recordings;
  const recorder = recordings.find(({ object }) => recordedOf(object).has(source));
  const wasUnread =
    adopter && recorder && adopter !== recorder && opened.usageAt(adopter.object, adopter.revision).has(source);
  return wasUnread && adopter.user !== recorder.user ? opened.ledSince(recorder.user) : 0;
}

/**
 * If others removed the baseline, and the next process to write is not the one that wrote it, nobody knows what the
 * baseline was. The workload is new to that process, and in its care since it led. It is also new to the same process
 * if its namespace was left out meanwhile, or was selected again so shortly before that the process may not have seen it:
 * then it is in its care since the namespace was selected again. A process that does not know yet that etcd was restored
 * remembers a baseline that was undone, and not the one that was removed.
 */
function lastForgotten(opened: Case, life: Life): number {
  const gains = opened.namespaces.gains(namespaceOf(life));
  const forgotten = lossesOf(life).map((loss) => {
    const former = life.writes.findLast((write) => write.revision < loss.revision && isOfEngine(write));
    const next = life.writes.find((write) => write.revision > loss.revision && isOfEngine(write));
    const gain = gains.findLast(
      ({ revision, atMs }) =>
        revision < (next?.revision ?? Infinity) && (opened.shownBy(atMs) ?? Infinity) > loss.revision,
    );
    const regained = gain ? shownSince(opened, gain, next) : 0;
    const isOfUndone = loss.atMs >= (opened.restored?.atMs ?? Infinity) && next && isUnaware(opened, next);
    if (next?.user === former?.user && !isOfUndone) return regained;
    return Math.max(loss.revision, regained, next ? opened.ledSince(next.user) : 0);
  });
  return Math.max(0, ...forgotten);
}

/**
 * If the install lost its digest key, what was recorded under it tells the next process nothing. The workload is new to
 * it, as on a first install or when its namespace is selected, and earlier changes restart nothing.
 */
function lastRekeyed(opened: Case, life: Life): number {
  const gains = opened.namespaces.gains(namespaceOf(life));
  const rekeyed = life.writes.filter(isOfEngine).filter(({ previous, object }) => {
    const [before, after] = [baselineOf(previous), baselineOf(object)];
    return before !== undefined && after !== undefined && before.key !== after.key;
  });
  const since = rekeyed.map((write) => {
    const gain = gains.findLast(({ revision }) => revision < write.revision);
    return Math.max(termSince(opened, write), gain ? shownSince(opened, gain, write) : 0);
  });
  return Math.max(0, ...since);
}

/** A first baseline that was on its way when etcd was restored records what its process had seen until then. */
function adoptedUnaware(opened: Case, life: Life): number {
  const adopter = adopterOf(life);
  return adopter && isUnaware(opened, adopter) ? adopter.revision : 0;
}

/**
 * How long before its start a workload may still be compared with an earlier content: a settle window plus the lags.
 */
const settlingMs = 60_000;

/**
 * Whether pods started in the middle of a change that was reverted, and so run with what was in between. A comparison
 * of states cannot show that. This limit of the design is known and accepted.
 */
function cameBack(opened: Case, source: string, keys: Keys, since: number): boolean {
  const { contents, history } = opened;
  const versions = contents.versions(source);
  const sinceMs = history.findLast(({ revision }) => revision <= since)?.atMs ?? 0;
  const now = versions.at(-1);
  const started = versions.findLast(({ revision }) => revision <= since);
  const isOfNow = (content: Content | undefined): boolean => sameKeys(content, now?.content, keys);
  // A process that did not know of the restore yet started the pods for what it had seen of the undone time.
  const cameBackAfterRestore =
    sinceMs >= (opened.restored?.atMs ?? Infinity) &&
    isOfUnawareTime(opened, { atMs: sinceMs }) &&
    lostWrites(opened, source).some(({ object }) => isOfNow(decodedData(object)));
  return (
    cameBackAfterRestore ||
    versions.some(
      ({ revision, content }, index) =>
        revision < (started?.revision ?? 0) &&
        (versions[index + 1]?.atMs ?? 0) >= sinceMs - settlingMs &&
        isOfNow(content),
    )
  );
}

/**
 * Whether the source counted before, and is now what was recorded then. A comparison of states cannot show what it was
 * in between.
 */
function countsAgain(opened: Case, life: Life, source: string): boolean {
  const recorded = recordedWhenBegun(opened, life, source);
  if (recorded === undefined || !opened.digests) return false;
  return matches(opened.digests, source, opened.contents.versions(source).at(-1)?.content, recorded);
}

/**
 * Whether the source was deleted before any engine recorded content of it. Then nobody can know what it held before. A
 * record that single keys do not exist says nothing of the others.
 */
function wasUnknown(contents: Contents, { writes }: Life, source: string, since: number): boolean {
  const gone = contents.versions(source).find(({ revision, content }) => revision > since && content === undefined);
  if (!gone) return false;
  const then = writes.findLast(({ revision }) => revision < gone.revision)?.object;
  const recorded = recordedOf(then).get(source) ?? '-';
  return (typeof recorded === 'string' ? [recorded] : Object.values(recorded)).every((digest) => digest === '-');
}

/**
 * Whether a label brought the source into the selection, and the source was changed before anybody saw it: it is
 * recorded as it is first seen. The same is true if a process whose watch was behind recorded that the source does not
 * exist, and ended before it was shown the source, or before it could record it everywhere; or if its watch was broken
 * or silent, or it had just begun to lead, or etcd had just been restored, so that it listed all sources again, and the list
 * showed the source with its last change alone.
 */
function cameUnseen(opened: Case, life: Life, source: string, since: number): boolean {
  const { contents, digests, lives, rules } = opened;
  if (sourceSelectorOf(rules) === undefined || !digests || isClass(source)) return false;
  const versions = contents.versions(source);
  const came = versions.findLastIndex(({ revision, content }) => revision <= since && content === undefined) + 1;
  const seen = life.writes.find(({ object }) => (recordedOf(object).get(source) ?? '-') !== '-');
  const cameRevision = versions[came]?.revision ?? 0;
  const cameMs = versions[came]?.atMs ?? 0;
  const restoredMs = opened.restored?.atMs ?? -Infinity;
  const isBehind = ({ user, atMs }: WriteRecord): boolean =>
    atMs < cameMs + rules.knownWithinMs ||
    user !== seen?.user ||
    atMs - ledSinceMs(opened, user) < listedAgainMs ||
    (atMs >= restoredMs && atMs < restoredMs + listedAgainMs);
  const before = life.writes.filter(
    (write) =>
      write.revision < cameRevision ||
      (write.revision < (seen?.revision ?? 0) && isEngine(write.user) && isBehind(write)),
  );
  const recorded = before.map(({ object }) => recordedOf(object).get(source)).filter((entry) => entry !== undefined);
  // Nobody had recorded the workload when the process listed that does: the list shows only the last state.
  const isListedLate = cameRevision > life.writes[0].revision && lastWriteOf(opened, source) < listedBy(opened, seen);
  if (recorded.length === 0 ? !isListedLate : recorded.some((entry) => entry !== '-')) return false;
  const formers = versions.slice(came, -1);
  const now = versions.at(-1)?.content;
  return !lives.some(({ writes }) =>
    writes.filter(isOfEngine).some((write) => {
      if (write.user !== seen?.user && endedSoonAfter(opened, write)) return false;
      const { object } = write;
      const entry = recordedOf(object).get(source);
      // An entry whose keys are the same today does not show what was seen before.
      if (entry === undefined || matches(digests, source, now, entry)) return false;
      return formers.some(({ content }) => matches(digests, source, content, entry));
    }),
  );
}

function lastWriteOf({ contents }: Case, source: string): number {
  return contents.versions(source).at(-1)?.revision ?? Infinity;
}

/** The revision by which the process that recorded a workload has listed everything. */
function listedBy(opened: Case, recorder: WriteRecord | undefined): number {
  if (!recorder) return 0;
  if (!opened.rules.firstListsAreLate) return opened.ledSince(recorder.user);
  // Nothing is recorded before they are complete.
  const firsts = opened.lives.map(({ writes }) =>
    writes.find(({ user, object }) => user === recorder.user && baselineOf(object)),
  );
  return Math.min(...firsts.map((first) => first?.revision ?? Infinity));
}

/**
 * A workload in a namespace that comes into the selection is recorded as it is then, or as it is when a process begins
 * to lead that had not seen the namespace come in. A source that was recorded before is compared with that record, if
 * the record contains the keys that are in use now.
 */
function selectedSince(opened: Case, life: Life, source: string, keys: Keys): number {
  const adopter = life.writes.find((write) => isOfEngine(write) && records(recordedOf(write.object).get(source), keys));
  const gains = opened.namespaces.gains(namespaceOf(life));
  const gain = gains.findLast(({ revision }) => revision < (adopter?.revision ?? Infinity));
  if (!gain) return 0;
  // Even a workload that was created after the gain may have been seen before it.
  const shown = shownSince(opened, gain, adopter);
  const isLater = gain.revision > life.writes[0].revision && adopter !== undefined;
  return isLater ? Math.max(shown, opened.ledSince(adopter.user)) : shown;
}

function records(entry: ReturnType<ReturnType<typeof recordedOf>['get']>, keys: Keys): boolean {
  if (entry === undefined) return false;
  if (typeof entry === 'string') return true;
  return keys !== 'all' && [...keys].every((key) => entry[key] !== undefined);
}

/** Nothing dates the removal of a label, so what it brings into the selection counts from when the removal is shown. */
function shownSince(opened: Case, { revision, atMs, isRemoval }: Turn, next: WriteRecord | undefined): number {
  return isRemoval ? Math.max(revision, opened.shownBy(atMs) ?? next?.revision ?? 0) : revision;
}

/**
 * Returns what differs and is owed a restart. A source that was created or deleted counts only if that is requested.
 */
function changed(rules: Rules, keys: Keys, then: Content | undefined, now: Content | undefined): readonly string[] {
  if (then === undefined && now !== undefined) return rules.reloadOnCreate ? ['absence'] : [];
  if (then !== undefined && now === undefined) return rules.reloadOnDelete ? ['presence'] : [];
  return changedKeys(keys, then, now);
}

/**
 * A single key that was created or deleted does not count, like a source. If the whole source is used, a new key counts
 * too.
 */
function changedKeys(keys: Keys, then: Content | undefined, now: Content | undefined): readonly string[] {
  if (then === undefined || now === undefined) return [];
  const inQuestion = keys === 'all' ? [...now.keys()] : [...keys].filter((key) => then.has(key) && now.has(key));
  return inQuestion.filter((key) => !sameValue(then.get(key), now.get(key)));
}

function lastTemplateChange({ writes }: Life): number {
  const change = writes.findLast(
    ({ previous, object }) => previous === undefined || templateOf(previous) !== templateOf(object),
  );
  return (change ?? writes[0]).revision;
}

/**
 * The revision at which the term began in which the write was made. Between two terms of one process, another one may
 * have led, and have recorded what it saw.
 */
function termSince(opened: Case, { user, atMs }: WriteRecord): number {
  const sinceMs = opened.termSinceMs(user, atMs);
  return opened.history.findLast((write) => write.atMs <= sinceMs)?.revision ?? Infinity;
}

/** By then, a process that begins to lead, or that finds etcd restored, has listed all sources again. */
const listedAgainMs = 10_000;

function ledSinceMs(opened: Case, user: string): number {
  const since = opened.ledSince(user);
  return opened.history.find(({ revision }) => revision === since)?.atMs ?? Infinity;
}

/** A process that ended sooner than this after it recorded something had no time to record it everywhere. */
const recordedEverywhereMs = 10_000;

function endedSoonAfter({ history }: Case, { user, atMs }: WriteRecord): boolean {
  const last = history.findLast((write) => write.user === user);
  return (last?.atMs ?? 0) - atMs < recordedEverywhereMs;
}
