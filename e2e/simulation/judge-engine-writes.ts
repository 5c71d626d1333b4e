import type { WriteRecord } from '../apiserver/store';
import { baselineOf, matches, noContents, recordedOf, sourceOfEntry, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import type { SourceName, Version } from './contents';
import type { Violation } from './judge';
import { alteredIn } from './judge-altered';
import { isOfEngine, lossesOf, type EngineWrite, type Life } from './lives';
import { hasOnlyNewPods, lacksPods } from './only-new-pods';
import { lateChanges, latestWatchMs, reasonFor } from './reason';
import { isMountedFromBefore, lostWrites, recordsLost } from './restored';
import { templateOf } from './usage';
import { withoutOurs } from './without-ours';

/** The newest baseline that a workload ever had, and the one before it. */
interface Newest {
  readonly baseline: WrittenBaseline;
  readonly user: string;
  readonly former: WrittenBaseline | undefined;
}

/**
 * Checks the newest write to a workload, if an engine made it. A restart must be owed, pod template and baseline must
 * agree, and nothing else may change.
 */
export function checkEngineWrites(opened: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  if (!write || !isOfEngine(write)) return [];
  let newest: Newest | undefined;
  for (const each of life.writes.slice(0, -1)) {
    const baseline = baselineOf(each.object);
    if (!opened.asksForRestarts(each.object)) newest = undefined;
    else if (baseline && (beginsAnew(each) || isNewer(baseline, newest?.baseline)))
      newest = { baseline, user: each.user, former: newest?.baseline };
  }
  return checkWrite(opened, life, write, newest);
}

function isNewer(baseline: WrittenBaseline, newest: WrittenBaseline | undefined): boolean {
  return newest === undefined || baseline.n > newest.n || baseline.key !== newest.key;
}

/** For the process that wrote the newest baseline, the numbers began anew. Another one may still know the number of before. */
function mayKnowFormer({ baseline, former, user }: Newest, process: string): boolean {
  return process !== user && former !== undefined && former.key === baseline.key && former.n > baseline.n;
}

/** Others took the baseline away, and no process remembers its number: the namespace was not selected meanwhile. */
function beginsAnew(write: WriteRecord): boolean {
  return isOfEngine(write) && baselineOf(write.previous) === undefined;
}

/**
 * There are never more restarts than there were contents. This is checked at each restart, because other writes only
 * add contents. A record that others removed may cost one more restart: if the process that wrote it has ended too,
 * nobody knows of the restart.
 */
export function checkRestartCount(opened: Case, life: Life): readonly Violation[] {
  const latest = life.writes.at(-1);
  if (!latest || !isOfEngine(latest) || !isRestart(latest)) return [];
  const restarts = life.writes.filter((write) => isOfEngine(write) && isRestart(write)).length;
  const changes = changesInLife(opened, life) + lossesOf(life).length;
  if (restarts <= changes) return [];
  const sentence = `${life.name} was restarted ${restarts} times for ${changes} changes of what it uses`;
  return [{ promise: 'more restarts than changes', sentence }];
}

/**
 * Counts the writes to sources that the workload ever used. Older ones than the workload count if they show up later,
 * because the watch was behind when they were recorded, or because the server keeps no time of them.
 */
export function changesInLife(opened: Case, life: Life): number {
  const { contents, processes } = opened;
  const used = new Set(life.writes.flatMap(({ object }) => [...opened.usageOf(object).keys()]));
  const lost = [...used].flatMap((source) => lostWrites(opened, source));
  const sinceMs = life.writes[0].atMs - latestWatchMs;
  const changes = [...used].flatMap((source) => [
    ...contents.writes(source).filter(({ atMs }) => atMs >= sinceMs),
    ...lateChanges(opened, life, source, processes),
    ...recordedLate(opened, life, source),
  ]);
  // Each undone write may have caused a restart, and its undoing another one.
  return new Set(changes.map(({ revision }) => revision)).size + 2 * lost.length + alteredIn(opened, life).length;
}

/**
 * The versions that a source had already reached when an engine recorded an older one, or when the webhook put an older
 * one into the write that created the workload.
 */
function recordedLate({ contents, digests }: Case, { writes }: Life, source: SourceName): readonly Version[] {
  return [writes[0], ...writes.filter(isOfEngine)].flatMap(({ object, revision }) => {
    const entry = recordedOf(object).get(source);
    if (!digests || entry === undefined) return [];
    const versions = contents.versions(source).filter((version) => version.revision <= revision);
    const recorded = versions.findLastIndex(({ content }) => matches(digests, source, content, entry));
    return versions.slice(recorded + 1);
  });
}

export function isRestart({ previous, object }: EngineWrite): boolean {
  return templateOf(previous) !== templateOf(object);
}

function checkWrite(opened: Case, life: Life, write: EngineWrite, newest: Newest | undefined): readonly Violation[] {
  const { previous, object, revision, user } = write;
  const at = `${life.name} at revision ${revision} by ${user}`;
  const before = ownBaselineOf(previous);
  const after = baselineOf(object);
  const violations: Violation[] = [];
  const found = (promise: Violation['promise'], sentence: string): void => void violations.push({ promise, sentence });

  const foreign = JSON.stringify(withoutOurs(previous)) !== JSON.stringify(withoutOurs(object));
  if (foreign) found('foreign write', `${at}: changed what is not ours`);
  if (isRestart(write) && JSON.stringify(before) === JSON.stringify(after)) {
    found('baseline apart from template', `${at}: the template alone`);
  }
  if (!after) {
    found('baseline apart from template', `${at}: left no baseline that can be read`);
    return violations;
  }
  // Under another key the numbers start again.
  if (before && before.key === after.key && after.n <= before.n)
    found('baseline apart from template', `${at}: number ${after.n} after ${before.n}`);
  violations.push(...checkTruth(opened, write, after, at), ...checkDoubt(opened, life, write, at));

  // A process that wrote the newest baseline remembers it. Another process may know only what is on the object.
  const known = newest?.user === user ? [newest.baseline] : [before, newest?.baseline];
  const isLost = newest !== undefined && (before?.n !== newest.baseline.n || mayKnowFormer(newest, user));
  // A process may not know of its own write: the answer was lost, and others undid the write before a watch showed it.
  if (isLost) known.push(newest.former);
  // If others took its restart out, the restart is owed against what was recorded before.
  if (alteredIn(opened, life).length > 0)
    known.push(...life.writes.slice(0, -1).map((each) => baselineOf(each.object)));
  // If others take marker and record out of a write, the process keeps the record in memory. The next number shows it.
  const isKeptInMemory = before !== undefined && after.n > before.n + 1;
  if (opened.alteredWorkloads.has(life.name) && isKeptInMemory) known.push(undefined);
  if (!isRestart(write)) {
    const recorded = ({ key, sources, filters, parsed, inDoubt }: WrittenBaseline): string =>
      JSON.stringify([key, sources, filters, parsed, inDoubt]);
    const same = before !== undefined && recorded(before) === recorded(after);
    if (same && !isLost && !opened.alteredWorkloads.has(life.name))
      found('foreign write', `${at}: a baseline that was there already`);
    return violations;
  }
  if (!known.some((baseline) => reasonFor(opened, life, write, baseline, after))) {
    found('restart without reason', `${at}: nothing that it uses has changed since ${JSON.stringify(known)}`);
  }
  return violations;
}

/** A rollback may bring back the baseline of an earlier object with this name, which says nothing about this one. */
export function ownBaselineOf(object: WriteRecord['object'] | undefined): WrittenBaseline | undefined {
  const baseline = baselineOf(object);
  return baseline?.uid === undefined || baseline.uid === object?.metadata.uid ? baseline : undefined;
}

/**
 * What pods have is in doubt only if some of them started, as the process may have seen it: its watch may be behind. A
 * restart leaves no doubt. If others removed the baseline, the process still knows what was in doubt.
 */
function checkDoubt(opened: Case, { writes }: Life, write: EngineWrite, at: string): readonly Violation[] {
  const former = writes.findLast(({ revision, object }) => revision < write.revision && baselineOf(object));
  const [before, after] = [baselineOf(former?.object), baselineOf(write.object)];
  const doubted = (after?.inDoubt ?? []).filter((id) => isRestart(write) || !before?.inDoubt?.includes(id));
  // Of what was absent, or was not recorded, there is nothing to record beside the doubt.
  const ofUnknown = Object.entries(after?.sources ?? {}).flatMap(([id, entry]) =>
    entry === noContents && isUnknown(before?.sources[id]) && !mayOwe(opened, write) ? [id] : [],
  );
  doubted.push(...ofUnknown);
  const startedPods = writes.some(({ object }, index) => {
    const until = writes[index + 1];
    const mayBeSeen = until !== undefined && until.atMs >= write.atMs - latestWatchMs;
    return mayBeSeen && (!hasOnlyNewPods(object) || lacksPods(object));
  });
  if (doubted.length === 0 || (startedPods && !isRestart(write))) return [];
  const sentence = `${at}: ${doubted.join(', ')} is in doubt, although no pods have started`;
  return [{ promise: 'baseline apart from template', sentence }];
}

function isUnknown(entry: WrittenBaseline['sources'][string] | undefined): boolean {
  return entry === undefined || entry === '-';
}

/** Whether a restart may be recorded as owed that may not begin yet, or that others took out. */
function mayOwe({ rules, alteredWorkloads }: Case, { kind, key }: WriteRecord): boolean {
  const mayWait = rules.gates !== undefined || rules.pace !== undefined || rules.stages !== undefined;
  return mayWait || alteredWorkloads.has(`${kind.kind} ${key}`);
}

/** Each digest must be of a content that the source really had, and not of an older content than before. */
export function checkTruth(opened: Case, write: WriteRecord, after: WrittenBaseline, at: string): readonly Violation[] {
  const { contents, digests } = opened;
  const { kind, key, previous, revision, object } = write;
  if (!digests) return [];
  const before = baselineOf(previous);
  return Object.entries(after.sources).flatMap(([id, entry]): readonly Violation[] => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    if (source === undefined) return [];
    // The source as it was last seen before it disappeared, or as it was recorded before the restore was known.
    const isOfBefore =
      contents.at(source, revision) === undefined || JSON.stringify(before?.sources[id]) === JSON.stringify(entry);
    // A record that was refused before the restore is kept in memory, and nothing is compared with it until it counts.
    const isCompared = opened.flags.counts(source, opened.usageOf(object).get(source), revision);
    if ((isOfBefore || !isCompared) && recordsLost(opened, source, entry)) return [];
    if (isMountedFromBefore(opened, source, entry)) return [];
    // A restart was taken back or may not begin yet, and nothing had been recorded of the source before.
    const isOwed = mayOwe(opened, write);
    if (entry === noContents && (isOwed || isUnknown(before?.sources[id]))) return [];
    const versions = contents.versions(source).filter((version) => version.revision <= revision);
    const matching = (recorded: typeof entry): readonly number[] =>
      versions.flatMap(({ content }, index) => (matches(digests, source, content, recorded) ? [index] : []));
    const now = matching(entry);
    if (now.length === 0 && versions.length > 0) {
      // What is owed of one key may be older than what another one had when it began to count.
      const keys = isOwed && typeof entry === 'object' ? Object.entries(entry) : [];
      if (keys.length > 0 && keys.every(([name, digest]) => matching({ [name]: digest }).length > 0)) return [];
      return [{ promise: 'baseline apart from template', sentence: `${at}: ${id} was never what is recorded of it` }];
    }
    // Under another key the source is recorded again, as the recording process first sees it. If others took a restart
    // out, what it recorded is taken back.
    const isComparable = before?.key === after.key && !opened.alteredWorkloads.has(`${kind.kind} ${key}`);
    const former = isComparable ? before?.sources[id] : undefined;
    const oldest = former === undefined ? undefined : matching(former)[0];
    if (oldest !== undefined && (now.at(-1) ?? -1) < oldest) {
      return [{ promise: 'baseline apart from template', sentence: `${at}: ${id} went back to a former content` }];
    }
    return [];
  });
}
