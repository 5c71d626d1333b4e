import { objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf } from './baseline-text';
import type { Case } from './case';
import type { Violation } from './judge';
import { isEngine } from './engine-user';
import { isRestart } from './judge-engine-writes';
import { formerOf } from './judge-gates';
import { isRolledOut, isTouched } from './judge-pace';
import { decisionMs } from './judge-restart-ids';
import { isOfEngine, isRolled, namespaceOf, type Life } from './lives';

/** Simulated sources have so few users that a tenth of them is one. */
const provedOneByOne = 2;

/** Times of the API server are whole seconds. */
const roundingMs = 1_000;

/** Simulated times have fractions, which times in annotations lack. */
const fractionMs = 2;

/**
 * The third restart for one content comes only when the second is healthy and has been for a time, and the second when
 * the first is. So none ever passes a stop. What a process may not know yet counts for nothing.
 */
export function checkStages(opened: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  const { stages, clocksAreRight } = opened.rules;
  if (!write || !stages || !clocksAreRight || !isOfEngine(write) || !isRestart(write)) return [];
  const before = formerOf(opened, life, write);
  if (!before) return [];
  const decidedMs = decisionMs(write);
  const others = opened.present.filter((other) => other !== life && namespaceOf(other) === namespaceOf(life));
  const restarts = others.flatMap((other) => {
    const earlier = other.writes.filter(({ revision }) => revision < write.revision);
    const latest = earlier.at(-1);
    const told = toldBy(latest?.object);
    // Also that of a CronJob or a Job, of which only this is told.
    const restart =
      told === undefined ? undefined : earlier.find((each) => isEngine(each.user) && toldBy(each.object) === told);
    return restart && latest ? [{ other, restart, latest }] : [];
  });
  const found: Violation[] = [];
  for (const change of Object.values(changesOf(write.object))) {
    const forIt = restarts.filter(({ restart, latest }) => isForIt(change, restart, latest));
    const known = forIt.filter(({ restart }) => isKnown(opened, restart, write, decidedMs));
    const shown = known.filter(({ other, restart }) => hadPods(other, restart, write));
    const last = shown.toSorted((left, right) => decisionMs(left.restart) - decisionMs(right.restart)).at(-1);
    if (!last || known.length > provedOneByOne) continue;
    const sinceMs = Math.min(...forIt.map(({ restart }) => decisionMs(restart))) - roundingMs;
    // More than a tenth run with it, also those that restarted for something else meanwhile.
    const all = restarts.filter(
      ({ other, restart }) => decisionMs(restart) >= sinceMs || hasRestartedFor(opened, other, change, write),
    );
    if (all.length > provedOneByOne) continue;
    const healthyMs = healthySinceMs(last.other, last.restart, write);
    if (healthyMs === 'unclear' || healthyMs <= decidedMs - stages.healthyForMs + fractionMs) continue;
    const what = Number.isFinite(healthyMs) ? `is healthy for ${decidedMs - healthyMs} ms` : 'has not been healthy';
    const sentence = `${life.name} at revision ${write.revision} by ${write.user}: ${last.other.name} went first for change ${change}, and ${what}`;
    found.push({ promise: 'past a stop', sentence });
  }
  return found;
}

/** The ids of the changes that a restart answers, by source, as the workload notes them. */
export function changesOf(object: KubeObject): Readonly<Record<string, string>> {
  const text = toldBy(object) ?? '{}';
  const { changes = {} } = JSON.parse(text) as { readonly changes?: Readonly<Record<string, string>> };
  return changes;
}

/**
 * Whether the workload runs with the content because of its last restart. Another content may have been recorded without
 * one since, or some of its pods may have started with another one, and the same content may have come back after it: then
 * the restart is owed again.
 */
function isForIt(change: string, restart: WriteRecord, latest: WriteRecord): boolean {
  const entryOf = ({ object }: WriteRecord, id: string): string | undefined =>
    JSON.stringify(baselineOf(object)?.sources[id]);
  return Object.entries(changesOf(restart.object)).some(
    ([id, each]) =>
      each === change &&
      entryOf(restart, id) === entryOf(latest, id) &&
      baselineOf(latest.object)?.inDoubt?.includes(id) !== true,
  );
}

/**
 * Whether an engine restarted the workload for a change, whatever it restarted it for since. Each restart of a Job makes
 * another object, so the objects before it count, too.
 */
function hasRestartedFor({ lives }: Case, { name, writes }: Life, change: string, { revision }: WriteRecord): boolean {
  const all = isEngine(writes[0].user)
    ? lives.filter((life) => life.name === name).flatMap((life) => life.writes)
    : writes;
  return all.some(
    (each) => each.revision < revision && isEngine(each.user) && Object.values(changesOf(each.object)).includes(change),
  );
}

function toldBy(object: KubeObject | undefined): string | undefined {
  return object?.metadata.annotations?.['reroll.dev/last-restart'];
}

function isKnown(opened: Case, restart: WriteRecord, write: WriteRecord, decidedMs: number): boolean {
  const isOwn = restart.user === write.user && restart.atMs >= opened.termSinceMs(write.user, decidedMs);
  return isOwn || restart.atMs <= decidedMs - opened.rules.shownWithinMs;
}

/** Whether something could read the content all the time: one that is scaled to 0 shows nothing, and others go on. */
function hadPods({ writes }: Life, restart: WriteRecord, write: WriteRecord): boolean {
  const since = writes.filter(({ revision }) => revision >= restart.revision && revision < write.revision);
  return since.every(({ object }) => objectOf(object['spec'])['replicas'] !== 0);
}

/** When a workload first was rolled out after a restart; infinity: not yet. */
function healthySinceMs({ writes, ...life }: Life, restart: WriteRecord, write: WriteRecord): number | 'unclear' {
  const since = writes.filter(({ revision }) => revision > restart.revision && revision < write.revision);
  if (!isRolled({ writes, ...life }) || since.some(isTouched)) return 'unclear';
  return since.find(({ object }) => isRolledOut(object))?.atMs ?? Infinity;
}
