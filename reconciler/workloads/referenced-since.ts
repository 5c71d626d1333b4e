import { textOfKeys } from '../../shared/domain/gate-settings/gate-settings';
import { requestedRestarts } from '../../shared/domain/policy/policy';
import { sameReferences } from '../../shared/domain/sources/references';
import type { FirstSeenTimes, TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { beforeNextWriteMs, wholeSecond, writeTimeMs } from '../sources/write-time';

/**
 * A workload that does not opt in: when it was written, and what it asked for then. There may be many, so no policy is
 * kept.
 */
export interface UntrackedWorkload extends FirstSeenTimes {
  readonly uid: string;
  readonly asked: string;
}

/** A workload as it was seen before. */
export interface SeenWorkload extends Pick<TrackedWorkload, 'record' | 'baseline' | 'referencedSinceMs'> {
  readonly signature: string;
  /** When Reroll's own last write was stored; 0: unknown. What differs from it was written later. */
  readonly ownWriteAtMs: number;
}

/** Times are by the API server's clock, as far as it is known. */
export interface Seen {
  readonly record: WorkloadRecord;
  readonly signature: string;
  readonly origin: 'list' | 'watch';
  /** Its baseline was made with another digest key. */
  readonly underOtherKey: boolean;
  readonly previous: SeenWorkload | undefined;
  /** What was seen of a workload of this name while it did not opt in. */
  readonly untracked: UntrackedWorkload | undefined;
  readonly nowMs: number;
  /** Since when the namespace has been selected: earlier changes do not count. */
  readonly selectedSinceMs: number;
  /** Since when no other replica writes; undefined: this replica does not lead. */
  readonly leadingSinceMs: number | undefined;
}

/** When a workload began to ask for restarts for the sources that it uses. Its pods run with what these held then. */
export function referencedSince(seen: Seen): TrackedWorkload['referencedSinceMs'] {
  const { record, signature, origin, underOtherKey, previous, untracked, nowMs, selectedSinceMs } = seen;
  const isOthers = underOtherKey && previous?.record.baselineText !== record.baselineText;
  if (isOthers && previous) return nextSecond(nowMs);
  if (previous?.signature === signature) return beforeThisWrite(seen, previous);
  // The workload is not adopted yet, and its template uses the same sources. An edit of the policy rolls no pods, so
  // they still run with what the sources held when the workload began to use them.
  if (previous && !previous.baseline && sameReferences(previous.record.references, record.references))
    return beforeThisWrite(seen, previous);
  const before = previous ? untrackedOf(previous.record) : untracked?.uid === record.uid ? untracked : undefined;
  const recordedUntilMs = isOthers ? recordedUntil(seen) : 0;
  const { createdAtMs, writtenAtMs } = timesOf(record);
  if (!before) {
    const sinceMs = Math.max(createdAtMs, selectedSinceMs, recordedUntilMs);
    return isOthers ? sinceMs : { createdAtMs: sinceMs, writtenAtMs: Math.max(writtenAtMs, selectedSinceMs) };
  }
  const sets =
    before.asked !== requestedRestarts(record.policy) ||
    (previous && !sameReferences(previous.record.references, record.references)) ||
    (previous && record.gates?.keys && textOfKeys(previous.record.gates?.keys) !== textOfKeys(record.gates.keys));
  const formerMs = Math.max(before.writtenAtMs, previous?.ownWriteAtMs ?? 0);
  const times = { formerMs, writtenAtMs, seenMs: wholeSecond(nowMs) };
  // A watch shows each write. A list shows only the last of several, and the relevant one may be any since the last
  // sight.
  const isEachShown = origin === 'watch' && record.isTemplateListed !== true;
  const isTold = isEachShown || writtenAtMs <= formerMs;
  const sinceMs = isTold ? writeTimeMs(times, sets === true) : formerMs;
  return Math.max(sinceMs, record.askedAtMs ?? 0, selectedSinceMs, recordedUntilMs);
}

/** What was known before, unless this write tells that the one by which it opted in was made earlier. */
function beforeThisWrite(
  { record, selectedSinceMs }: Seen,
  previous: SeenWorkload,
): TrackedWorkload['referencedSinceMs'] {
  const { referencedSinceMs: sinceMs, baseline } = previous;
  if (typeof sinceMs !== 'number' || baseline) return sinceMs;
  const times = { formerMs: timesOf(previous.record).writtenAtMs, writtenAtMs: timesOf(record).writtenAtMs };
  return Math.max(beforeNextWriteMs(sinceMs, times), Math.min(sinceMs, selectedSinceMs));
}

export function untrackedOf(record: WorkloadRecord): UntrackedWorkload {
  return { uid: record.uid, asked: requestedRestarts(record.policy), ...timesOf(record) };
}

/**
 * Changes until this time may be covered by a baseline under another key. Another replica wrote that baseline, so that
 * was before this one led.
 */
function recordedUntil({ nowMs, leadingSinceMs = nowMs }: Seen): number {
  return nextSecond(Math.min(nowMs, leadingSinceMs));
}

/** Times are whole seconds, so a change in the current one may be covered, too. */
function nextSecond(ms: number): number {
  return wholeSecond(ms) + 1000;
}

function timesOf({ createdAtMs, writtenAtMs = createdAtMs }: WorkloadRecord): FirstSeenTimes {
  return { createdAtMs, writtenAtMs };
}
