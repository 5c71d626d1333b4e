import type { WriteRecord } from '../apiserver/store';
import { baselineOf, doubtedIn, recordedOf } from './baseline-text';
import type { Case } from './case';
import type { SourceName } from './contents';
import { isEngine } from './engine-user';
import { gatesOf, type GateAnnotations } from './gate-annotations';
import type { GateLevels } from './gate-levels';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isHeld, isLeftToRollout } from './judge-holds';
import { isTooSoon } from './judge-intervals';
import { decidedByMs, decisionMs, lastRestartAnnotation, restartWrittenBy } from './judge-restart-ids';
import { isOutsideWindows } from './judge-windows';
import { isOfEngine, namespaceOf, type Life } from './lives';
import { startMs } from './loop';

/**
 * A restart must not begin while it is held, outside its windows, too soon after the last one, or if the change is left
 * to the next rollout. For several changes it begins as soon as it may for one of them. What a process may not know yet
 * counts for nothing; but one that begins to lead reads what there is.
 */
export function checkGates(opened: Case, life: Life): readonly Violation[] {
  const { rules } = opened;
  const write = life.writes.at(-1);
  if (!write || !rules.gates || !isBegun(write)) return [];
  const at = `${life.name} at revision ${write.revision} by ${write.user}`;
  const decidedMs = decisionMs(write);
  const found = (what: string): Violation => ({ promise: 'restart in spite of a gate', sentence: `${at}: ${what}` });
  // What was decided long ago is not what may begin now. A Job's recreation begins with its journal entry.
  const agoMs = write.atMs - decidedMs;
  if (write.kind.kind !== 'Job' && agoMs > mostUnderWay * rules.shownWithinMs)
    return [found(`decided ${agoMs} ms before`)];
  const changes = changedSources(life, formerOf(opened, life, write), write);
  const closed = changes.map((source) => closedFor(opened, life, write, source, decidedMs));
  const [first] = closed;
  if (first === undefined || closed.some((gate) => gate === undefined)) return [];
  return [found(changes.map((source, index) => `${source}: ${closed[index] ?? ''}`).join('; '))];
}

/** How many times as long as a write may take to be shown, a restart may take to be written. */
const mostUnderWay = 3;
/** For this long after a refusal, a process may not have listed again what it may list now. */
const refusedMs = 75_000;

/** Whether the write is a restart that an engine began, or its record that the change is left to the next run. */
export function isBegun(write: WriteRecord): boolean {
  if (!isEngine(write.user) || write.type === 'DELETED') return false;
  return restartWrittenBy(write) !== null || (isOfEngine(write) && isRestart(write));
}

/**
 * The sources of which the restart records something else than before, as far as anybody may know what was before, or the
 * same without the doubt of before.
 */
export function changedSources(
  { writes }: Life,
  former: WriteRecord['object'] | undefined,
  write: WriteRecord,
): readonly SourceName[] {
  // Under another digest key all entries differ, with the same number, and nothing has changed.
  const digestKey = baselineOf(write.object)?.key;
  const earlier = writes
    .filter(({ revision, object }) => revision < write.revision && baselineOf(object)?.key === digestKey)
    .map(({ object }) => object);
  const newest = earlier.reduce<WriteRecord['object'] | undefined>(
    (most, object) => ((baselineOf(object)?.n ?? -1) > (baselineOf(most)?.n ?? -1) ? object : most),
    undefined,
  );
  const formers = [former, newest ?? former];
  return [...recordedOf(write.object)].flatMap(([source, entry]) =>
    formers.some(
      (object) =>
        doubtedIn(object).includes(source) || JSON.stringify(recordedOf(object).get(source)) !== JSON.stringify(entry),
    )
      ? [source]
      : [],
  );
}

/** The workload before the restart. A Job takes the place of a former one. */
export function formerOf(opened: Case, life: Life, write: WriteRecord): WriteRecord['object'] | undefined {
  return write.previous ?? predecessorOf(opened, life)?.writes.findLast(({ type }) => type !== 'DELETED')?.object;
}

function predecessorOf({ lives }: Case, { name, writes: [born] }: Life): Life | undefined {
  return lives.findLast((life) => life.name === name && life.writes[0].revision < born.revision);
}

/**
 * When Reroll last restarted the workload. Undefined if somebody else has removed or replaced what says so, or if there
 * was no restart.
 */
export function restartedMs(opened: Case, life: Life, write: WriteRecord): number | undefined {
  const former = formerOf(opened, life, write);
  const text = former?.metadata.annotations?.[lastRestartAnnotation];
  const writes = [...(predecessorOf(opened, life)?.writes ?? []), ...life.writes];
  const last = writes.findLast((each) => each.revision < write.revision && isBegun(each));
  const isSame =
    last !== undefined &&
    !opened.altered.has(last) &&
    last.object.metadata.annotations?.[lastRestartAnnotation] === text;
  return isSame ? decisionMs(last) : undefined;
}

/** What keeps the restart from beginning for this source, whatever the process may know; undefined: perhaps nothing. */
function closedFor(
  opened: Case,
  life: Life,
  write: WriteRecord,
  source: SourceName,
  decidedMs: number,
): string | undefined {
  const { gates, rules } = opened;
  const termMs = opened.termSinceMs(write.user, decidedMs);
  const fromMs = Math.max(decidedMs - rules.knownWithinMs, termMs);
  const isHidden = mayNotKnow(opened, termMs, decidedMs);
  const orNone = <T>(all: readonly T[]): readonly (T | undefined)[] => (isHidden ? [...all, undefined] : all);
  const flags = rules.gates ?? {};
  const restarted = restartedMs(opened, life, write);
  const toMs = decidedByMs(write);
  let closed: string | undefined;
  for (const workload of ofWorkload(opened, life, write, fromMs, toMs)) {
    for (const ofSource of gates.between(source, fromMs, toMs)) {
      for (const namespace of orNone(gates.between(`Namespace ${namespaceOf(life)}`, fromMs, toMs))) {
        for (const everything of orNone(gates.ofEverything(fromMs, toMs))) {
          const levels = { workload, source: ofSource ?? {}, namespace: namespace ?? {}, flags, everything };
          closed = closedGate({ ...levels, restartedMs: restarted }, decidedMs);
          if (closed === undefined) return undefined;
        }
      }
    }
  }
  return closed;
}

/** Whether a process may not have been allowed to read, in this time, what namespaces and the hold of everything say. */
export function mayNotKnow({ rules }: Case, fromMs: number, toMs: number): boolean {
  return rules.gatesHidden.some(
    (hidden) => startMs + hidden.fromMs <= toMs && startMs + hidden.toMs + refusedMs >= fromMs,
  );
}

/** A write names the version that it changes, so the process knew that one. A Job is looked at before it is deleted. */
function ofWorkload(
  opened: Case,
  life: Life,
  write: WriteRecord,
  fromMs: number,
  toMs: number,
): readonly GateAnnotations[] {
  if (write.previous) return [gatesOf(write.previous)];
  const states = predecessorOf(opened, life)?.writes.filter(({ type }) => type !== 'DELETED') ?? [];
  const first = states.findLastIndex(({ atMs }) => atMs <= fromMs);
  const known = states.filter(({ atMs }, index) => index >= first && atMs <= toMs);
  return known.map(({ object }) => gatesOf(object));
}

/** The gate that is closed; undefined if the restart may begin. */
export function closedGate(levels: GateLevels, atMs: number): string | undefined {
  if (isHeld(levels, atMs)) return 'it is held';
  if (isLeftToRollout(levels)) return 'it is left to the next rollout';
  if (isOutsideWindows(levels, atMs)) return 'no window is open';
  return isTooSoon(levels, atMs) ? 'it is too soon after the last restart' : undefined;
}
