import { objectAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import type { Case } from './case';
import type { SourceName } from './contents';
import { isEngine } from './engine-user';
import { gatesOf } from './gate-annotations';
import type { Violation } from './judge';
import { hasOnlyNewPods } from './only-new-pods';
import { isLeftToRollout } from './judge-holds';
import { changedSources, closedGate, formerOf, isBegun, restartedMs } from './judge-gates';
import { decisionMs, restartWrittenBy } from './judge-restart-ids';
import { isRolled, namespaceOf, type Life } from './lives';
import { settleMaxMsOf } from './own-settings';

/** Looks at the gates this often. No window is as short. */
const stepMs = 500;
/** The time for what comes before the write: a look at somebody else's rollout, and some attempts. */
const slackMs = 8_000;
/** A write that was refused again and again is tried again within this time. */
const retriedMs = 60_000;
/** A rollout of somebody else that does not end is waited for this long: it may answer the change. */
const mostRolloutMs = 600_000;

/**
 * If nothing goes wrong, a restart that was kept from beginning begins soon after it may: when its hold ends, a window
 * opens or an interval is over, without any other event.
 */
export function checkDeferred(opened: Case): readonly Violation[] {
  const { rules } = opened;
  // Where restarts wait for their turn, too, that may be for long.
  if (!rules.gates || rules.pace || rules.stages || rules.shownWithinMs === Infinity || !rules.clocksAreRight)
    return [];
  // Reroll tries what others altered only now and then.
  return opened.lives
    .filter((life) => isRolled(life) && !opened.alteredWorkloads.has(life.name))
    .flatMap((life) => life.writes.filter(isBegun).flatMap((write) => checkRestart(opened, life, write)));
}

function checkRestart(opened: Case, life: Life, write: WriteRecord): readonly Violation[] {
  const { rules } = opened;
  const changes = changedSources(life, formerOf(opened, life, write), write);
  const rolloutMs = write.previous && isRollingOut(write.previous) ? mostRolloutMs : 0;
  const boundMs = rules.shownWithinMs * 3 + settleMaxMsOf(write.object) + slackMs + rolloutMs;
  let openSinceMs: number | undefined;
  for (let atMs = quietSinceMs(opened, life, write, changes); atMs < write.atMs; atMs += stepMs) {
    if (changes.every((source) => closedAt(opened, life, write, source, atMs))) openSinceMs = undefined;
    else openSinceMs ??= atMs;
    if (openSinceMs === undefined || atMs - openSinceMs <= boundMs) continue;
    const since = new Date(openSinceMs).toISOString();
    const sentence = `${life.name} was restarted at revision ${write.revision}, and could have been since ${since}`;
    return [{ promise: 'too late', sentence }];
  }
  return [];
}

/** Whether a controller is replacing the pods, or cannot: those of the new template may lack a key that they need. */
function isRollingOut(object: KubeObject): boolean {
  return objectAt(object, 'status')['observedGeneration'] !== undefined && !hasOnlyNewPods(object);
}

/**
 * Since when nobody has written anything that the restart depends on, nor kept it from being written. A restore of etcd
 * writes everything.
 */
function quietSinceMs(opened: Case, life: Life, write: WriteRecord, changes: readonly SourceName[]): number {
  const others = life.writes.filter((each) => each.revision < write.revision && !isEngine(each.user));
  const names = [...changes, `Namespace ${namespaceOf(life)}`];
  const ledMs = opened.termSinceMs(write.user, write.atMs);
  // A rotation is no write to the class, but to what pods show of it.
  const changed = changes.flatMap((source) =>
    opened.contents.versions(source).filter(({ revision }) => revision < write.revision),
  );
  const writtenMs = opened.gates.lastWrittenMs(names, write.atMs);
  const restoredMs = opened.restored && opened.restored.atMs <= write.atMs ? opened.restored.atMs : 0;
  const refusal = opened.refusals.findLast(({ workload, atMs }) => workload === life.name && atMs <= write.atMs);
  const triedMs = refusal ? refusal.atMs + retriedMs : 0;
  return Math.max(writtenMs, ledMs, restoredMs, triedMs, ...[...others, ...changed].map(({ atMs }) => atMs));
}

function closedAt(opened: Case, life: Life, write: WriteRecord, source: SourceName, atMs: number): boolean {
  const { gates, rules } = opened;
  const now = (name: string) => gates.between(name, atMs, atMs)[0] ?? {};
  const levels = {
    ...{ workload: gatesOf(write.previous), source: now(source), namespace: now(`Namespace ${namespaceOf(life)}`) },
    ...{ flags: rules.gates ?? {}, everything: gates.ofEverything(atMs, atMs)[0] },
    // The interval also counts from a restart that came with somebody else's write.
    restartedMs: restartedMs(opened, life, write) ?? lastToldMs(life, write),
  };
  return closedGate(levels, atMs) !== undefined;
}

/** When the last restart was decided, by what any write before this one has put into the annotation. */
function lastToldMs({ writes }: Life, { revision }: WriteRecord): number | undefined {
  const last = writes.findLast((each) => each.revision < revision && restartWrittenBy(each) !== null);
  return last && decisionMs(last);
}

/** Whether a change of the source is left to the next rollout at the end of the history, so that no restart is owed. */
export function isLeftForGood(opened: Case, life: Life, source: SourceName): boolean {
  const { gates, rules } = opened;
  if (!rules.gates) return false;
  const last = (name: string) => gates.between(name, Infinity, Infinity)[0] ?? {};
  const levels = {
    ...{ workload: gatesOf(life.writes.at(-1)?.object), source: last(source) },
    ...{ namespace: last(`Namespace ${namespaceOf(life)}`), flags: rules.gates, everything: undefined },
    restartedMs: undefined,
  };
  return isLeftToRollout(levels);
}
