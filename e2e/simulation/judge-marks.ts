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

/** What a webhook made of a write of a workload, in the words of the situations. */
export type Marked = 'born' | 'kept' | 'template kept' | 'folded';

/** What a write of a workload became on its way through the webhook. */
export interface MarkedWrite {
  readonly operation: AdmissionRequest['operation'];
  /** Of what the author says that it writes nothing else: what is not there is to go. */
  readonly isDeliberate: boolean;
  readonly oldObject: KubeObject | undefined;
  /** As its author sent it. */
  readonly asked: KubeObject;
  readonly after: KubeObject;
}

/**
 * A write of somebody else keeps what it would only lose, gains what the engine would write at once, and is otherwise what
 * its author sent. Holds for an answer that has arrived: without one nothing is promised.
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
  const standing = newer(baselineOf(old), baselineOf(asked));
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
 * What the webhook put into a write of somebody else is true, as what an engine writes is. The webhook asks the leader what sources
 * hold, which may not know yet that etcd was restored.
 */
export function checkGiven(opened: Case, { name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write || isEngine(write.user) || write.type === 'DELETED' || isOfUnawareTime(opened, write)) return [];
  const given = baselineOf(write.object);
  const newest = Math.max(-1, ...writes.slice(0, -1).map(({ object }) => baselineOf(object)?.n ?? -1));
  if (!given || given.n <= newest) return [];
  return checkTruth(opened, write, given, `${name} at revision ${write.revision}, written by ${write.user}`);
}

/** For the situations. */
export function marksOf(write: MarkedWrite): readonly Marked[] {
  const { operation, oldObject: old, asked, after } = write;
  const [sent, kept] = [baselineOf(asked), baselineOf(after)];
  const marked: Marked[] = [];
  if (operation === 'CREATE' && kept) marked.push('born');
  if (operation === 'UPDATE' && kept && kept.n === baselineOf(old)?.n && kept.n !== sent?.n) marked.push('kept');
  if (isBareReplacement(write) && templateOf(after) === templateOf(old)) marked.push('template kept');
  if (isRecordChanged(newer(baselineOf(old), sent), kept)) marked.push('folded');
  return marked;
}

/** Everything of the template is as it was, but the marker, of which there is nothing left. */
function isBareReplacement({ operation, isDeliberate, oldObject, asked }: MarkedWrite): boolean {
  if (operation !== 'UPDATE' || isDeliberate || !oldObject || !baselineOf(oldObject) || hasMarker(asked)) return false;
  if (looksLikeAPersons(oldObject)) return false;
  const [before, after] = [oldObject, asked].map((object) => JSON.stringify(templateWithoutOurs(object)));
  return before === after;
}

/**
 * A marker that might be that of `kubectl rollout restart`, which a manifest may remove: both put the time there. Only
 * `reroll.dev/last-restart` tells that it is ours, and others may have taken that out of the write that brought the marker.
 */
function looksLikeAPersons(object: KubeObject): boolean {
  const restartedAt = stringAt(podTemplateOf(object), 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt');
  return restartedAt !== undefined && restartedAt !== stringAt(restartWrittenBy({ object, previous: undefined }), 'at');
}

/** Of the record and what else we wrote to the metadata, and of nothing more. */
function isOnlyRecordTaken({ oldObject, asked }: MarkedWrite): boolean {
  if (!oldObject || baselineOf(asked)) return false;
  return JSON.stringify(withoutOurs(oldObject)) === JSON.stringify(withoutOurs(asked));
}

/** The pods would be replaced without us, too: also by a former marker, which `rollout undo` brings back. */
function isRollout(write: MarkedWrite): boolean {
  const { operation, oldObject, asked } = write;
  return operation === 'CREATE' || (templateOf(asked) !== templateOf(oldObject) && !isBareReplacement(write));
}

function newer(left: WrittenBaseline | undefined, right: WrittenBaseline | undefined): WrittenBaseline | undefined {
  return (left?.n ?? -1) >= (right?.n ?? -1) ? left : right;
}

/** Of a source that was recorded before, something else is recorded now. */
function isRecordChanged(before: WrittenBaseline | undefined, after: WrittenBaseline | undefined): boolean {
  const former = before?.sources ?? {};
  return Object.entries(after?.sources ?? {}).some(
    ([id, entry]) => former[id] !== undefined && former[id] !== '-' && differ(former[id], entry) === true,
  );
}
