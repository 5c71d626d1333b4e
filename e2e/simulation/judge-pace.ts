import { objectAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { matches, noContents, recordedOf } from './baseline-text';
import type { Case } from './case';
import type { Content, SourceName } from './contents';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { changedSources, formerOf, isBegun } from './judge-gates';
import { decidedByMs, decisionMs } from './judge-restart-ids';
import { isOfEngine, isRolled, namespaceOf, type Life } from './lives';
import { comesAfter, limitIn, limitOf, rateOf, waveOf } from './pace-annotations';

/** A workload that takes longer counts no more. A little less, because the engine counts from its decision. */
const rollingForMs = 590_000;

/**
 * As the API server shows it, never more workloads roll at once than the limits say, never more begin in a time than the
 * rate says, and never one before those that come before it. What a process may not know yet counts for nothing.
 */
export function checkPace(opened: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  if (!write || !opened.rules.pace || !isBegun(write)) return [];
  const found = [...checkRate(opened, write)];
  if (isRolled(life) && isOfEngine(write) && isRestart(write)) {
    found.push(...checkNumber(opened, life, write), ...checkOrder(opened, life, write));
  }
  const at = `${life.name} at revision ${write.revision} by ${write.user}`;
  return found.map(({ promise, sentence }) => ({ promise, sentence: `${at}: ${sentence}` }));
}

function checkRate(opened: Case, write: WriteRecord): readonly Violation[] {
  const { history, rules } = opened;
  if (rules.pace?.rate === undefined) return [];
  const { count, perMs } = rateOf(rules.pace.rate);
  const atMs = decisionMs(write);
  const sinceMs = Math.max(atMs - perMs, opened.termSinceMs(write.user, atMs));
  const begun = history.filter((each) => each.user === write.user && each !== write && isBegun(each));
  // A Job that was recreated late began when it was decided.
  const others = new Set(begun.map(decisionMs).filter((each) => each > sinceMs && each <= atMs));
  if (others.size < count) return [];
  return [{ promise: 'too many at once', sentence: `${others.size} others began within ${perMs} ms before` }];
}

function checkNumber(opened: Case, life: Life, write: WriteRecord): readonly Violation[] {
  const { rules, gates } = opened;
  const rolling = opened.present.filter((other) => other !== life && isKnownToRoll(opened, other, write));
  const namespace = namespaceOf(life);
  const inNamespace = rolling.filter((other) => namespaceOf(other) === namespace);
  const [fromMs, toMs] = [decisionMs(write) - rules.knownWithinMs, decidedByMs(write)];
  const perNamespace = limitOf(rules.pace?.perNamespace) ?? Infinity;
  const isHidden = rules.gatesHidden.length > 0;
  const ofNamespace = gates
    .between(`Namespace ${namespace}`, fromMs, toMs)
    .map((said) => limitIn(said) ?? perNamespace);
  const limits: (readonly [string, readonly Life[], number])[] = [
    ['the cluster', rolling, limitOf(rules.pace?.maxRolling) ?? Infinity],
    ['the namespace', inNamespace, Math.max(...ofNamespace, isHidden ? perNamespace : 0)],
  ];
  for (const source of changedSources(life, formerOf(opened, life, write), write)) {
    const said = gates.between(source, fromMs, toMs).map((each) => limitIn(each) ?? Infinity);
    const users = inNamespace.filter(({ writes }) => uses(opened, writes.at(-1)?.object, source));
    limits.push([source, users, Math.max(...said)]);
  }
  return limits.flatMap(([scope, others, limit]) => {
    if (others.length + 1 <= limit || others.length === 0) return [];
    const names = others.map(({ name }) => name).join(', ');
    return [{ promise: 'too many at once', sentence: `${scope} allows ${limit}, and there roll ${names}` } as const];
  });
}

/** Whether the process that wrote must know that another workload, which Reroll restarted, has yet to roll out. */
function isKnownToRoll(opened: Case, { writes }: Life, write: WriteRecord): boolean {
  const restart = writes.findLast((each) => each.revision < write.revision && isOfEngine(each) && isRestart(each));
  if (!restart || write.atMs - restart.atMs > rollingForMs) return false;
  const { rules } = opened;
  const decidedMs = decisionMs(write);
  const isOwn = restart.user === write.user && restart.atMs >= opened.termSinceMs(write.user, decidedMs);
  const isShown = rules.clocksAreRight && restart.atMs <= decidedMs - rules.shownWithinMs;
  if (!isOwn && !isShown) return false;
  return !since(writes, restart, write).some((each) => isRolledOut(each.object) || isTouched(each));
}

/** The first write and those after it, until the last one, without that. */
function since(writes: readonly WriteRecord[], first: WriteRecord, last: WriteRecord): readonly WriteRecord[] {
  return writes.filter(({ revision }) => revision >= first.revision && revision < last.revision);
}

/** Whether somebody else changed more than the status: then it may be another rollout, or no workload of ours. */
export function isTouched({ user, object, previous, type }: WriteRecord): boolean {
  if (isEngine(user) || !previous) return false;
  const said = ({ metadata }: KubeObject): string =>
    JSON.stringify([metadata.generation, metadata.annotations, metadata.labels]);
  return type === 'DELETED' || said(object) !== said(previous);
}

/** The judge's own reading of `kubectl rollout status`. */
export function isRolledOut(object: KubeObject): boolean {
  const [spec, status] = [objectAt(object, 'spec'), objectAt(object, 'status')];
  const count = (field: string): number => Number(status[field] ?? 0);
  if (count('observedGeneration') < (object.metadata.generation ?? 0)) return false;
  const wanted = object.kind === 'DaemonSet' ? count('desiredNumberScheduled') : Number(spec['replicas'] ?? 1);
  switch (object.kind) {
    case 'Deployment':
      return (
        count('updatedReplicas') >= wanted &&
        count('replicas') <= count('updatedReplicas') &&
        count('availableReplicas') >= count('updatedReplicas')
      );
    case 'StatefulSet':
      return count('readyReplicas') >= wanted && count('updatedReplicas') >= wanted;
    default:
      return count('updatedNumberScheduled') >= wanted && count('numberAvailable') >= wanted;
  }
}

function uses(opened: Case, object: KubeObject | undefined, source: SourceName): boolean {
  return object !== undefined && opened.usageOf(object).has(source);
}

function checkOrder(opened: Case, life: Life, write: WriteRecord): readonly Violation[] {
  const before = formerOf(opened, life, write);
  if (!before) return [];
  const changes = changedSources(life, before, write);
  const decidedMs = decisionMs(write);
  const others = opened.present.filter(
    (other) => other !== life && isRolled(other) && namespaceOf(other) === namespaceOf(life),
  );
  for (const other of others) {
    const object = other.writes.findLast(({ revision }) => revision < write.revision)?.object;
    if (!object || !isSettled(opened, other, write, decidedMs)) continue;
    const restart = other.writes.findLast((each) => isOfEngine(each) && isRestart(each));
    // Of two that begin in one millisecond nobody can tell the first.
    const rolls = restart && decisionMs(restart) < decidedMs && isKnownToRoll(opened, other, write);
    const isNamed = comesAfter(before).includes(other.name) && !leadsTo(opened, others, object, life.name, before);
    if (isNamed && rolls) return [outOfOrder(other, 'still rolls')];
    for (const source of changes) {
      if (!opened.usageAt(object, write.revision).has(source)) continue;
      if (!isNamed && waveOf(object) >= waveOf(before)) continue;
      const changedMs = changedSinceMs(opened, source, write);
      if (changedMs === undefined) continue;
      if (owes(opened, other, object, source, write, changedMs)) return [outOfOrder(other, `owes ${source}`)];
      if (rolls && hasRolledSince(opened, other, source, changedMs, write)) {
        return [outOfOrder(other, `still rolls for ${source}`)];
      }
    }
  }
  return [];
}

/**
 * Whether another workload was restarted for what the source has held since then, and was never rolled out after that.
 * Whoever rolls for another source alone, because this change does not concern it, keeps nobody waiting.
 */
function hasRolledSince(opened: Case, other: Life, source: SourceName, sinceMs: number, write: WriteRecord): boolean {
  const answer = other.writes.find(
    (each) =>
      each.revision < write.revision &&
      isOfEngine(each) &&
      isRestart(each) &&
      decisionMs(each) >= sinceMs &&
      changedSources(other, formerOf(opened, other, each), each).includes(source),
  );
  return answer !== undefined && !since(other.writes, answer, write).some(({ object }) => isRolledOut(object));
}

function outOfOrder({ name }: Life, what: string): Violation {
  return { promise: 'out of order', sentence: `${name} comes first, and ${what}` };
}

/** Whether all that users said about it was known when the restart was decided. */
function isSettled({ rules }: Case, { writes }: Life, write: WriteRecord, decidedMs: number): boolean {
  const knownMs = decidedMs - rules.knownWithinMs;
  const touched = writes.filter((each) => each.revision < write.revision && (!each.previous || isTouched(each)));
  return touched.every(({ atMs }) => atMs <= knownMs);
}

/** When the source came to hold what the restart recorded of it. Later changes may concern others. */
function changedSinceMs({ contents, digests }: Case, source: SourceName, write: WriteRecord): number | undefined {
  const entry = recordedOf(write.object).get(source);
  if (entry === undefined || !digests) return undefined;
  const decidedMs = decisionMs(write);
  const versions = contents.versions(source).filter(({ atMs }) => atMs <= decidedMs);
  const isIt = versions.map(({ content }) => content !== undefined && matches(digests, source, content, entry));
  const last = isIt.lastIndexOf(true);
  return last < 0 ? undefined : versions[isIt.lastIndexOf(false, last) + 1]?.atMs;
}

/** Whether a restart for what the source has held since then is owed to the workload, beyond doubt. */
function owes(
  { contents, digests }: Case,
  { writes }: Life,
  object: KubeObject,
  source: SourceName,
  { revision }: WriteRecord,
  sinceMs: number,
): boolean {
  const entry = recordedOf(object).get(source);
  const content = contents.versions(source).findLast(({ atMs }) => atMs <= sinceMs)?.content;
  if (entry === undefined || !content || !digests || writes[0].atMs >= sinceMs) return false;
  // A newer record may be of a newer content, or of one that came back.
  if (writes.some((each) => each.revision < revision && each.atMs >= sinceMs && isOfEngine(each))) return false;
  if (typeof entry === 'string') return isContent(entry) && !matches(digests, source, content, entry);
  return Object.entries(entry).some(
    ([key, digest]) => isContent(digest) && isOtherKey(digests, source, content, key, digest),
  );
}

function isContent(entry: string): boolean {
  return entry !== '-' && entry !== noContents;
}

function isOtherKey(
  digests: NonNullable<Case['digests']>,
  source: SourceName,
  content: Content,
  key: string,
  digest: string,
): boolean {
  return content.has(key) && !matches(digests, source, content, { [key]: digest });
}

/** Whether a workload comes, by names or by waves, after another in the end. In such a circle, names have no effect. */
function leadsTo(
  opened: Case,
  others: readonly Life[],
  from: KubeObject,
  target: string,
  targetObject: KubeObject,
): boolean {
  const visited = new Set<KubeObject>();
  const open = [from];
  for (let next = open.pop(); next; next = open.pop()) {
    if (visited.has(next)) continue;
    visited.add(next);
    const [current, named] = [next, comesAfter(next)];
    const isBefore = (object: KubeObject, name: string): boolean =>
      named.includes(name) || (waveOf(object) < waveOf(current) && sharesSource(opened, object, current));
    if (isBefore(targetObject, target)) return true;
    for (const { name, writes } of others) {
      const object = writes.at(-1)?.object;
      if (object && isBefore(object, name)) open.push(object);
    }
  }
  return false;
}

function sharesSource(opened: Case, left: KubeObject, right: KubeObject): boolean {
  return [...opened.usageOf(left).keys()].some((source) => uses(opened, right, source));
}
