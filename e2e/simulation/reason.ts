import type { WriteRecord } from '../apiserver/store';
import { matches, recordedOf, sourceOfEntry, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { countedFromMs } from './counting';
import type { SourceName, Version } from './contents';
import type { Life } from './lives';
import { lostWrites } from './restored';
import { isClass, rulesFor } from './rotations';
import type { Rules } from './rules';
import { sourceSelectorOf } from './selection';
import type { Use } from './usage';

type Entry = WrittenBaseline['sources'][string];

/** A change from before a workload's birth that a late watch brings after it looks like one since; no watch is later. */
export const latestWatchMs = 10_000;

/** Whether something that the workload uses changed between what was recorded and what the restart records. */
export function reasonFor(
  opened: Case,
  life: Life,
  { object, revision, user, atMs }: WriteRecord,
  before: WrittenBaseline | undefined,
  after: WrittenBaseline,
): boolean {
  const { contents, rules } = opened;
  const usage = opened.usageOf(object);
  // Times of objects are whole seconds: what is of the same second may be before or after.
  const bornMs = Math.floor(life.writes[0].atMs / 1000) * 1000;
  const changedInLife = (source: string, sinceMs: number): boolean => {
    // Its first coming into being restarts nothing.
    const first = contents.versions(source).find(({ content }) => content !== undefined)?.revision;
    const created = rulesFor(source, rules).reloadOnCreate ? undefined : first;
    const late = lateChanges(opened, life, source, [user]);
    return contents
      .changes(source, 'all', 0, revision)
      .some((change) => change.revision !== created && (change.atMs >= sinceMs || late.includes(change)));
  };
  // Of pods that are gone nobody knows any more since when it is so. What a driver fetched from outside a restore of etcd does not undo:
  // who has seen such a rotation remembers it.
  const rotatedInLife = (source: string): boolean =>
    lostWrites(opened, source).some(({ atMs: lostMs }) => lostMs >= bornMs) ||
    contents.changes(source, 'all', 0, revision).some(({ atMs }) => atMs >= bornMs) ||
    (contents.witnessedSinceMs(source) ?? -1) >= bornMs;
  const writtenInLife = (source: string): boolean => (isClass(source) ? rotatedInLife(source) : isWritten(source));
  const isWritten = (source: string): boolean =>
    lostWrites(opened, source).length > 0 ||
    contents
      .writes(source)
      .some((write) => write.type === 'MODIFIED' && write.revision <= revision && write.atMs >= bornMs) ||
    changedInLife(source, bornMs);
  const wentSince = (source: string, sinceMs: number): boolean => {
    const late = lateChanges(opened, life, source, [user]);
    const removals = contents.changes(source, 'all', 0, revision).filter(({ content }) => content === undefined);
    return removals.some((removal) => removal.atMs >= sinceMs || late.includes(removal));
  };
  return Object.entries(after.sources).some(([id, entry]) => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    const use = usage.get(source ?? '');
    if (source === undefined || !use || !mayCount(opened, source, use, atMs)) return false;
    // Under another key, what was recorded tells nothing.
    const former = before?.key === after.key ? before?.sources[id] : undefined;
    // Of what was recorded it is known that it went since, maybe while its Job was on its way.
    if (entry === '-') return rules.reloadOnDelete && former !== '-' && wentSince(source, former ? 0 : bornMs);
    // Nothing was recorded, or nothing was there as far as was seen: which keys changed is not known, so in doubt, once.
    if (former === undefined) {
      if (before === undefined && cameInEdited(opened, source, bornMs, revision)) return true;
      const countedMs = countedFromMs(opened, life, source, user);
      return countedMs > bornMs ? changedInLife(source, countedMs) : writtenInLife(source);
    }
    if (former === '-') return writtenInLife(source);
    return differ(former, entry) ?? writtenInLife(source);
  });
}

/**
 * Whether a label may have brought in, before the workload was recorded, what had been edited since its birth: who sees the
 * source then is not told what it was before.
 */
function cameInEdited({ stored, rules }: Case, source: SourceName, bornMs: number, revision: number): boolean {
  if (sourceSelectorOf(rules) === undefined) return false;
  return stored.changes(source, 'all', 0, revision).some(({ atMs }) => atMs >= bornMs);
}

/** What is under way by then is brought to its end. */
const underWayMs = 10_000;
/** As long as a watch may last that has fallen silent, and a little more. */
const silentMs = 11 * 60_000;

/** Whether a source counts by what it says of itself, as far as whoever restarts can know. Of one that is gone that is forgotten. */
function mayCount({ flags, contents, rules }: Case, source: SourceName, use: Use, atMs: number): boolean {
  const isWell = rules.shownWithinMs < Infinity;
  if (!isWell && contents.versions(source).at(-1)?.content === undefined) return true;
  return flags.countedSince(source, use, atMs - (isWell ? rules.shownWithinMs + underWayMs : silentMs));
}

/** Undefined where the two do not record the same keys: then digests say nothing, and a change in its life has to do. */
export function differ(former: Entry, entry: Entry): boolean | undefined {
  if (typeof former === 'string' && typeof entry === 'string') return former !== entry;
  if (typeof former === 'string' || typeof entry === 'string') return undefined;
  const keys = Object.entries(entry);
  if (keys.some(([key]) => former[key] === undefined)) return undefined;
  return keys.some(([key, digest]) => former[key] !== digest);
}

/** Clocks may differ by so much, and times are whole seconds. */
const toleranceMs = 2_000;

/**
 * Changes from before the workload's birth that may look to one of the processes like changes since. The server keeps no time
 * of a removal, of a key or of the whole where that is a change, and where a list shows it together with other writes, theirs
 * may be older. Of a content that was not read before the server forgot it nobody knows whether a key was removed from it. Both
 * are dated by when a process comes to know of them, which is minutes later where its watch was down. Who has recorded what
 * is left did know of it.
 */
export function lateChanges(
  { contents, lives, digests, rules, compactions }: Case,
  { writes: [born] }: Life,
  source: SourceName,
  processes: readonly string[],
): readonly Version[] {
  const isForgotten = ({ revision }: Version): boolean => compactions.some((compacted) => revision <= compacted);
  const knew = (process: string, change: Version): boolean =>
    lives.some(({ writes }) =>
      writes.some((write) => {
        const entry = recordedOf(write.object).get(source);
        if (write.user !== process || entry === undefined || write.atMs > born.atMs - toleranceMs) return false;
        const formers = contents.versions(source).filter(({ revision }) => revision < change.revision);
        return digests !== undefined && formers.every(({ content }) => !matches(digests, source, content, entry));
      }),
    );
  const versions = contents.versions(source).filter(({ revision }) => revision < born.revision);
  return versions.filter(
    (version, index) =>
      (removes(versions[index - 1], version, rules) || isForgotten(version)) &&
      processes.some((process) => !knew(process, version)),
  );
}

function removes(before: Version | undefined, { content }: Version, { reloadOnDelete }: Rules): boolean {
  if (content === undefined) return reloadOnDelete;
  return [...(before?.content?.keys() ?? [])].some((key) => !content.has(key));
}
