import type { WriteRecord } from '../apiserver/store';
import { baselineOf, recordedOf } from './baseline-text';
import type { Case } from './case';
import { decisionMs } from './judge-restart-ids';
import type { SourceName } from './contents';
import { isOfEngine, lossesOf, namespaceOf, type Life } from './lives';
import type { Use } from './usage';
import { isExclusion, policyAnnotations } from './wishes';

/** Since when a source has counted for a workload without interruption. */
interface Beginning {
  readonly revision: number;
  readonly atMs: number;
  readonly by: 'birth' | 'workload' | 'source';
  /** It began because something was removed. The server records no time for that. */
  readonly isRemoval: boolean;
}

/**
 * The beginning as known to a process that has seen the writes until `untilMs`, and no later ones. Considers the
 * annotations of the workload and of the source, but not namespaces and labels.
 */
function beginningOf(opened: Case, { writes }: Life, source: SourceName, untilMs = Infinity): Beginning {
  const [born] = writes;
  const turns = opened.flags.turns(source).filter(({ revision }) => revision > born.revision);
  const events = [
    ...writes.map((write) => ({ write, ...write })),
    ...turns.map((turn) => ({ write: undefined, ...turn })),
  ];
  let beginning: Beginning = { revision: born.revision, atMs: born.atMs, by: 'birth', isRemoval: false };
  let use: Use | undefined;
  let counted = true;
  for (const { write, revision, atMs } of events.sort((left, right) => left.revision - right.revision)) {
    if (atMs > untilMs && write !== born) break;
    if (write) use = opened.usageOf(write.object).get(source);
    const counts = opened.flags.counts(source, use, revision);
    if (counts && !counted) {
      const [by, isRemoval] = write ? (['workload', !asks(write)] as const) : (['source', !use?.ifMatched] as const);
      beginning = { revision, atMs, by, isRemoval };
    }
    counted = counts;
  }
  return beginning;
}

/** Whether the write sets or changes an annotation that asks for restarts. */
function asks(write: WriteRecord): boolean {
  const { annotations = {} } = write.object.metadata;
  return changedPolicies(write).some((name) => !isExclusion(name) && annotations[name] !== undefined);
}

function changedPolicies({ object, previous }: WriteRecord): readonly string[] {
  const [after, before] = [object.metadata.annotations, previous?.metadata.annotations];
  return policyAnnotations.filter((name) => after?.[name] !== before?.[name]);
}

/**
 * The revision from which on changes of the source are owed to the workload: the one at which the source began to
 * count. If the source was never recorded before that, the process that records it takes what it saw first. If nothing
 * dates the beginning, what counts is the content at the time when the beginning was shown. A process whose connections
 * break may be shown only the last of several writes.
 */
export function owedSince(opened: Case, life: Life, source: SourceName): number {
  const { revision, atMs, by, isRemoval } = beginningOf(opened, life, source);
  if (by === 'birth') return 0;
  const adopter = life.writes.find(
    (write) => write.revision > revision && isOfEngine(write) && recordedOf(write.object).has(source),
  );
  if (!adopter || recordedBefore(opened, life, source, revision) !== undefined) return revision;
  const isShownLate = by === 'workload' && isRemoval;
  // The next write to the source shows that it came later, unless it is in the same second.
  const isOfSecond = (write: WriteRecord): boolean => Math.floor(write.atMs / 1000) <= Math.floor(atMs / 1000);
  const doubt = by === 'source' && isRemoval ? opened.history.findLast(isOfSecond)?.revision : undefined;
  const lastShown = opened.rules.shownWithinMs === Infinity ? lastWriteBefore(opened, life, source, adopter, by) : 0;
  const since = Math.max(revision, doubt ?? 0, lastShown, opened.ledSince(adopter.user));
  return isShownLate ? Math.max(since, opened.shownBy(atMs) ?? adopter.revision) : since;
}

/** The last write that changed what the workload asks for, or the last write to the source, before `adopter`. */
function lastWriteBefore(
  { contents }: Case,
  { writes }: Life,
  source: SourceName,
  adopter: WriteRecord,
  by: Beginning['by'],
): number {
  const all = by === 'source' ? contents.writes(source) : writes.filter((write) => changedPolicies(write).length > 0);
  return all.findLast(({ revision }) => revision < adopter.revision)?.revision ?? 0;
}

/** What was recorded of a source when it began to count again, if it did. The source is compared with that. */
export function recordedWhenBegun(opened: Case, life: Life, source: SourceName): ReturnType<typeof recordedBefore> {
  const { revision, by } = beginningOf(opened, life, source);
  return by === 'birth' ? undefined : recordedBefore(opened, life, source, revision);
}

/**
 * A change before this time is no reason to restart a workload that has no record of the source. 0 if there is no such
 * time: a process whose connections break sees some changes late and some together, and a process that has not looked
 * yet knows no past.
 */
export function countedFromMs(opened: Case, life: Life, source: SourceName, restart: WriteRecord): number {
  const { rules, namespaces } = opened;
  if (rules.shownWithinMs === Infinity) return 0;
  const decidedMs = rules.clocksAreRight ? decisionMs(restart) : restart.atMs;
  const shownMs = decidedMs - rules.shownWithinMs;
  const { revision, atMs, by } = beginningOf(opened, life, source, shownMs);
  const gained = namespaces.knownGain(namespaceOf(life), decidedMs, shownMs);
  // Until a workload is recorded for the first time, it counts as having the content of its creation, even if the
  // annotations by which it asks for restarts are edited.
  const formers = life.writes.filter((write) => write.revision < revision);
  const isNew =
    formers.some(({ object }) => opened.asksForRestarts(object)) && !formers.some(({ object }) => baselineOf(object));
  const begun = [...(by === 'birth' || isNew ? [] : [{ revision, atMs }]), ...(gained ? [gained] : [])];
  const seen = begun.filter((each) => hasLooked(opened, restart.user, each.revision)).map((each) => each.atMs);
  return Math.max(0, ...seen) - togetherMs;
}

function hasLooked({ lives }: Case, process: string, revision: number): boolean {
  return lives.some(({ writes }) => writes.some((write) => write.user === process && write.revision < revision));
}

/** Timestamps are whole seconds, and a read may show two writes as one. */
const togetherMs = 2_000;

/**
 * A process remembers a baseline that others removed, and restores it. If the workload stops asking for restarts before
 * that, the process forgets everything but what is on the object. What another process recorded under a digest key that
 * was lost since tells nobody anything.
 */
function recordedBefore(
  opened: Case,
  life: Life,
  source: SourceName,
  revision: number,
): ReturnType<ReturnType<typeof recordedOf>['get']> {
  const formers = life.writes.filter((write) => write.revision < revision);
  const next = life.writes.find((write) => write.revision > revision && isOfEngine(write) && baselineOf(write.object));
  const isReadable = ({ object, user }: WriteRecord): boolean =>
    next === undefined || user === next.user || baselineOf(object)?.key === baselineOf(next.object)?.key;
  const former = formers.findLast((write) => recordedOf(write.object).has(source) && isReadable(write));
  const loss = lossesOf(life).find((write) => write.revision > (former?.revision ?? Infinity));
  const isForgotten =
    loss !== undefined &&
    formers.some((write) => write.revision >= loss.revision && !opened.asksForRestarts(write.object));
  return isForgotten ? undefined : recordedOf(former?.object).get(source);
}
