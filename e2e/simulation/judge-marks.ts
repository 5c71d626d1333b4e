import type { AdmissionRequest } from '../apiserver/admission';
import { stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { baselineOf, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { checkTruth } from './judge-engine-writes';
import { restartWrittenBy } from './judge-restart-ids';
import type { Life } from './lives';
import { differ } from './reason';
import { isOfUnawareTime } from './restored';
import { asksForRestarts, podTemplateOf, templateOf } from './usage';
import { hasMarker, templateWithoutOurs, withoutOurs } from './without-ours';

/** What a webhook did to a write of a workload, in the words of the situations. */
export type Marked = 'born' | 'kept' | 'template kept' | 'folded';

/** A write of a workload, before and after the webhook. */
export interface MarkedWrite {
  readonly operation: AdmissionRequest['operation'];
  /** The author edits the object itself: what the write lacks is meant to be removed. */
  readonly isDeliberate: boolean;
  readonly oldObject: KubeObject | undefined;
  /** The object as its author sent it. */
  readonly asked: KubeObject;
  readonly after: KubeObject;
}

/**
 * A write of somebody else must keep what it would lose by accident, gain what the engine would write at once, and
 * otherwise stay as its author sent it. Without an answer of the webhook nothing is promised.
 */
export function checkMarks(write: MarkedWrite): readonly Violation[] {
  const { operation, oldObject: old, asked, after } = write;
  const name = `${asked.kind} ${asked.metadata.namespace ?? ''}/${asked.metadata.name}`;
  const violations: Violation[] = [];
  const found = (promise: Violation['promise'], what: string): void =>
    void violations.push({ promise, sentence: `an answer to the ${operation} of ${name} ${what}` });
  const isChanged = JSON.stringify(asked) !== JSON.stringify(after);
  if (!asksForRestarts(asked) && isChanged) found('foreign write', 'marks what has opted out');
  if (JSON.stringify(withoutOurs(asked)) !== JSON.stringify(withoutOurs(after))) {
    found('foreign write', 'changes what is not ours');
  }
  if (!asksForRestarts(asked)) return violations;
  const standing = newer(baselineOf(old), sentBaseline(write));
  const baseline = baselineOf(after);
  const isLost = (baseline?.n ?? -1) < (standing?.n ?? -1);
  if (operation === 'UPDATE' && isLost && !(write.isDeliberate && isOnlyRecordTaken(write))) {
    found('baseline apart from template', `takes its record from ${standing?.n} to ${baseline?.n}`);
  }
  const isOther = JSON.stringify(baseline?.sources) !== JSON.stringify(standing?.sources);
  if (standing && baseline && isOther && baseline.n === standing.n) {
    found('baseline apart from template', `changes the record and not its number, ${baseline.n}`);
  }
  if (isBareReplacement(write) && templateOf(after) !== templateOf(old)) {
    found('restart without reason', 'replaces the pods for a marker that is lost');
  }
  if (isRecordChanged(standing, baseline) && (!isRollout(write) || templateOf(asked) === templateOf(after))) {
    found('missed change', 'records a change without a rollout');
  }
  return violations;
}

/**
 * A baseline that the webhook put into somebody else's write must be true, like one that an engine writes. This is not
 * checked just after a restore of etcd: the webhook asks the leader what sources hold, and the leader may not know of
 * the restore yet.
 */
export function checkGiven(opened: Case, { name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write || isEngine(write.user) || write.type === 'DELETED' || isOfUnawareTime(opened, write)) return [];
  const given = baselineOf(write.object);
  const newest = Math.max(-1, ...writes.slice(0, -1).map(({ object }) => baselineOf(object)?.n ?? -1));
  if (!given || given.n <= newest) return [];
  return checkTruth(opened, write, given, `${name} at revision ${write.revision}, written by ${write.user}`);
}

/** Names what a webhook did to a write, for the situations. */
export function marksOf(write: MarkedWrite): readonly Marked[] {
  const { operation, oldObject: old, asked, after } = write;
  const [sent, kept] = [baselineOf(asked), baselineOf(after)];
  const marked: Marked[] = [];
  if (operation === 'CREATE' && kept) marked.push('born');
  if (operation === 'UPDATE' && kept && kept.n === baselineOf(old)?.n && kept.n !== sent?.n) marked.push('kept');
  if (isBareReplacement(write) && templateOf(after) === templateOf(old)) marked.push('template kept');
  if (isRecordChanged(newer(baselineOf(old), sentBaseline(write)), kept)) marked.push('folded');
  return marked;
}

/** Whether the pod template is as it was, except that Reroll's marker is gone. */
function isBareReplacement({ operation, isDeliberate, oldObject, asked }: MarkedWrite): boolean {
  if (operation !== 'UPDATE' || isDeliberate || !oldObject || !baselineOf(oldObject) || hasMarker(asked)) return false;
  if (looksLikeAPersons(oldObject)) return false;
  const [before, after] = [oldObject, asked].map((object) => JSON.stringify(templateWithoutOurs(object)));
  return before === after;
}

/**
 * Whether the marker might be that of `kubectl rollout restart`, which a manifest may remove: both write the time to
 * the same place. Only `reroll.dev/last-restart` shows that the marker is Reroll's, and others may have taken that out
 * of the write that brought the marker.
 */
function looksLikeAPersons(object: KubeObject): boolean {
  const restartedAt = stringAt(podTemplateOf(object), 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt');
  return restartedAt !== undefined && restartedAt !== stringAt(restartWrittenBy({ object, previous: undefined }), 'at');
}

/** Whether the write removes the baseline, and nothing that is not Reroll's. */
function isOnlyRecordTaken({ oldObject, asked }: MarkedWrite): boolean {
  if (!oldObject || baselineOf(asked)) return false;
  return JSON.stringify(withoutOurs(oldObject)) === JSON.stringify(withoutOurs(asked));
}

/**
 * Whether the pods would be replaced without Reroll too, even by a former marker, which `kubectl rollout undo`
 * restores.
 */
function isRollout(write: MarkedWrite): boolean {
  const { operation, oldObject, asked } = write;
  return operation === 'CREATE' || (templateOf(asked) !== templateOf(oldObject) && !isBareReplacement(write));
}

/** The baseline that the write brings. One that was written for an earlier object of this name counts for nothing. */
function sentBaseline({ oldObject, asked }: MarkedWrite): WrittenBaseline | undefined {
  const sent = baselineOf(asked);
  const isOfEarlierObject = sent?.uid !== undefined && sent.uid !== (oldObject ?? asked).metadata.uid;
  return isOfEarlierObject ? undefined : sent;
}

/**
 * Returns the newer baseline. If both have the same number, that is the one that was sent: a rollback may bring an
 * older baseline, because the numbers start again after a record was lost.
 */
function newer(stored: WrittenBaseline | undefined, sent: WrittenBaseline | undefined): WrittenBaseline | undefined {
  return (stored?.n ?? -1) > (sent?.n ?? -1) ? stored : sent;
}

/** Whether something else is recorded now for a source that was recorded before. */
function isRecordChanged(before: WrittenBaseline | undefined, after: WrittenBaseline | undefined): boolean {
  const former = before?.sources ?? {};
  return Object.entries(after?.sources ?? {}).some(
    ([id, entry]) => former[id] !== undefined && former[id] !== '-' && differ(former[id], entry) === true,
  );
}
