import { sameKeys, type Version } from './contents';
import type { Case } from './case';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, isRolled, type Life } from './lives';
import { settleMaxMsOf, settleMsOf } from './own-settings';

/**
 * Changes are in one settle window if the time between them is shorter than the window by `soonerMs` or more. They are
 * in different windows if it is longer by `laterMs` or more.
 */
const [soonerMs, laterMs] = [100, 1_000];
/** The server dates the writes, but the engine measures the wait. */
const toleranceMs = 20;

/**
 * If nothing goes wrong, the count is exact: one restart for all changes of a settle window, none if they cancel out.
 */
export function checkCalm(opened: Case): readonly Violation[] {
  return opened.present.filter(isRolled).flatMap((life) => {
    const windows = windowsOf(opened, life);
    return windows.flatMap((window, index): readonly Violation[] => {
      const first = window[0];
      const last = window.at(-1);
      if (!first || !last) return [];
      const until = windows[index + 1]?.[0]?.revision ?? Infinity;
      const restarts = life.writes.filter(
        (write) => isOfEngine(write) && isRestart(write) && write.revision > first.revision && write.revision < until,
      );
      const [settleMs, settleMaxMs] = waitsOf(life);
      const settledMs = Math.min(last.atMs + settleMs, first.atMs + settleMaxMs) - toleranceMs;
      const early = restarts.find(({ atMs }) => atMs < settledMs);
      if (early) {
        const told = `${life.name} was restarted at revision ${early.revision}, before its sources had settled after revision ${last.revision}`;
        return [{ promise: 'not exactly once', sentence: told }];
      }
      const owed = differs(opened, life, first.revision - 1, last.revision) ? 1 : 0;
      if (restarts.length === owed) return [];
      const sentence = `${life.name} was restarted ${restarts.length} times, not ${owed}, for the changes of revisions ${first.revision} to ${last.revision}`;
      return [{ promise: 'not exactly once', sentence }];
    });
  });
}

/**
 * The changes of the sources that a workload uses, by settle window. Changes of keys that it does not use are included.
 * Empty if it is uncertain which changes share a window.
 */
function windowsOf(opened: Case, life: Life): readonly (readonly Version[])[] {
  const born = life.writes[0].revision;
  const changes = [...opened.usageAt(life.writes[0].object)]
    .flatMap(([source]) => opened.contents.changes(source, 'all', born, Infinity))
    .filter(({ atMs }) => atMs > life.writes[0].atMs)
    .sort((left, right) => left.revision - right.revision);
  const [settleMs, settleMaxMs] = waitsOf(life);
  const windows: Version[][] = [];
  for (const change of changes) {
    const window = windows.at(-1);
    const gapMs = change.atMs - (window?.at(-1)?.atMs ?? -Infinity);
    const openMs = change.atMs - (window?.[0]?.atMs ?? -Infinity);
    if (window && gapMs <= settleMs - soonerMs && openMs <= settleMaxMs - soonerMs) window.push(change);
    else if (gapMs >= settleMs + laterMs || openMs >= settleMaxMs + laterMs) windows.push([change]);
    else return [];
  }
  return windows;
}

function waitsOf({ writes: [{ object }] }: Life): readonly [settleMs: number, settleMaxMs: number] {
  return [settleMsOf(object), settleMaxMsOf(object)];
}

function differs(opened: Case, life: Life, before: number, after: number): boolean {
  const { contents } = opened;
  return [...opened.usageAt(life.writes[0].object)].some(
    ([source, keys]) => !sameKeys(contents.at(source, before), contents.at(source, after), keys),
  );
}
