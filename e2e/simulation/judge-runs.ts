import { arrayAt, objectAt, stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf, isRecordedParsed, matches, sourceOfEntry, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { recordsSameParsed } from './judge-counted';
import { changesInLife } from './judge-engine-writes';
import { isOfEngine, lossesOf, type Life } from './lives';
import { isLeftToNextRun } from './own-settings';
import { differ, reasonFor } from './reason';
import { podTemplateOf } from './usage';
import { withoutMarkers } from './without-ours';

/** A CronJob is run at once, as a Job of its own. A Job is deleted and recreated. */
export function checkRuns(opened: Case, life: Life): readonly Violation[] {
  const [born] = life.writes;
  if (born.kind.kind === 'CronJob') return checkCronJob(opened, life);
  if (!isEngine(born.user) || life.writes.length > 1) return [];
  const owner = ownerOf(born.object);
  const cronJob = opened.lives.find(({ writes }) => writes[0].object.metadata.uid === owner);
  return cronJob ? checkRunCount(opened, cronJob) : checkSuccessor(opened, life);
}

/** A baseline with other content than before may be written only after the CronJob was run with that content. */
function checkCronJob(opened: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  if (!write || !isOfEngine(write)) return [];
  const violations: Violation[] = [];
  const at = `${life.name} at revision ${write.revision} by ${write.user}`;
  if (JSON.stringify(write.previous['spec']) !== JSON.stringify(write.object['spec'])) {
    violations.push({ promise: 'foreign write', sentence: `${at}: changed what is not ours` });
  }
  const written = baselineOf(write.previous);
  const before = written?.sources ?? {};
  const after = baselineOf(write.object);
  if (!after) violations.push({ promise: 'baseline apart from template', sentence: `${at}: left no baseline` });
  const moved = Object.entries(after?.sources ?? {}).some(([id, entry]) => {
    const former = before[id];
    if (former === undefined || former === '-' || entry === '-' || written?.key !== after?.key) return false;
    if (differ(former, entry) !== true) return false;
    const source = sourceOfEntry(id, life.writes[0].object.metadata.namespace ?? '');
    const isParsed = source !== undefined && isRecordedParsed(write.object, source);
    // Of a source that is compared parsed, another formatting is the same content.
    if (isParsed && recordsSameParsed(opened, source, former, entry)) return false;
    return written?.uid !== undefined || !wasSoAtBirth(opened, life, id, entry);
  });
  const since = life.writes.findLast((earlier) => earlier !== write && isOfEngine(earlier))?.revision ?? 0;
  const isLeft = life.writes.some(({ object }) => isLeftToNextRun(object));
  if (moved && !isLeft && !runsOf(opened, life).some(({ revision }) => revision > since)) {
    violations.push({ promise: 'baseline apart from template', sentence: `${at}: the record moved on without a run` });
  }
  return violations;
}

/**
 * Whether the source had this content when the CronJob was created. The webhook puts into a creation what the leader
 * knows by then, which may be older.
 */
function wasSoAtBirth(
  { contents, stored, digests }: Case,
  { writes: [born] }: Life,
  id: string,
  entry: WrittenBaseline['sources'][string],
): boolean {
  const source = sourceOfEntry(id, born.object.metadata.namespace ?? '');
  if (source === undefined || !digests) return false;
  // The next run reads what is stored, selected or not. To the engine, a source that is not selected does not exist.
  return [contents, stored].some((known) => matches(digests, source, known.at(source, born.revision), entry));
}

function checkRunCount(opened: Case, cronJob: Life): readonly Violation[] {
  const runs = runsOf(opened, cronJob).length;
  const changes = changesInLife(opened, cronJob) + lossesOf(cronJob).length;
  if (runs <= changes) return [];
  const sentence = `${cronJob.name} was run ${runs} times for ${changes} changes of what it uses`;
  return [{ promise: 'more restarts than changes', sentence }];
}

function runsOf(opened: Case, { writes }: Life): readonly WriteRecord[] {
  const { uid } = writes[0].object.metadata;
  return opened.lives.flatMap(({ writes: [born] }) =>
    isEngine(born.user) && ownerOf(born.object) === uid ? born : [],
  );
}

/** A Job that an engine created must replace a former one, and may differ from it only in what records the restart. */
function checkSuccessor(opened: Case, { name, writes: [born] }: Life): readonly Violation[] {
  const at = `${name} created anew at revision ${born.revision} by ${born.user}`;
  const formers = opened.lives.filter((life) => life.name === name && life.writes[0].revision < born.revision);
  const former = formers.at(-1);
  const after = baselineOf(born.object);
  if (!former) return [{ promise: 'restart without reason', sentence: `${at}: there was none before` }];
  if (!after) return [{ promise: 'baseline apart from template', sentence: `${at}: without a baseline` }];
  const violations: Violation[] = [];
  const known = [undefined, ...former.writes.map(({ object }) => baselineOf(object))];
  if (!known.some((before) => reasonFor(opened, former, born, before, after)) && !isCreatedAgain(former, born)) {
    violations.push({ promise: 'restart without reason', sentence: `${at}: nothing that it uses has changed` });
  }
  // Not always the newest former Job: its owner may have created and deleted another one while the journal could not be
  // read.
  if (!formers.some(({ writes }) => containersOf(writes[0].object) === containersOf(born.object))) {
    violations.push({ promise: 'foreign write', sentence: `${at}: changed what is not ours` });
  }
  return violations;
}

/** For this long an engine may not know that the Job that it created exists. */
const unansweredMs = 60_000;

/**
 * Whether the same restart created the Job twice: the answer to the first creation was lost, and the owner deleted the
 * Job before the engine looked again. Then the engine cannot know that the Job existed.
 */
function isCreatedAgain({ writes }: Life, born: WriteRecord): boolean {
  const restartOf = ({ object }: WriteRecord): string | undefined =>
    object.metadata.annotations?.['reroll.dev/last-restart'];
  const end = writes.at(-1);
  if (!end || end.type !== 'DELETED' || isEngine(end.user) || born.atMs - writes[0].atMs > unansweredMs) return false;
  return isEngine(writes[0].user) && restartOf(born) !== undefined && restartOf(born) === restartOf(writes[0]);
}

function containersOf(object: KubeObject): string {
  return JSON.stringify(arrayAt(podTemplateOf(object), 'spec', 'containers').map(withoutMarkers));
}

function ownerOf(object: KubeObject): string | undefined {
  return stringAt(objectAt(arrayAt(object, 'metadata', 'ownerReferences')[0]), 'uid');
}
