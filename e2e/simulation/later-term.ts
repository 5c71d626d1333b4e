import type { ApiServer } from '../apiserver/api-server';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf, recordedOf } from './baseline-text';
import type { SourceName } from './contents';
import { isEngine } from './engine-user';

import type { Violation } from './judge';
import { behindMs } from './judge-authors';
import { isRestart } from './judge-engine-writes';
import { isOfEngine } from './lives';
import type { Loop } from './loop';
import type { Rules } from './rules';
import { isSelectedSource } from './selection';
import { flagsOf } from './source-flags';
import { templateOf } from './usage';

const dayMs = 24 * 60 * 60_000;
/** A Lease that nobody renews is taken over well before this. */
const comesUpMs = 120_000;
/** A leader looks at everything within this time. */
const looksMs = 30_000;

export interface LaterTerm {
  readonly loop: Loop;
  readonly server: ApiServer;
  /** Kills all processes. Others start `downMs` later. */
  readonly crashAll: (downMs: number) => void;
  readonly isUp: () => boolean;
  readonly rules: Rules;
}

/**
 * Ends all processes when everything owed is done, and starts others a day later. Nobody has done anything since, so
 * whatever they find left over, they must do nothing.
 */
export async function checkLaterTerm({
  loop,
  server,
  crashAll,
  isUp,
  rules,
}: LaterTerm): Promise<readonly Violation[]> {
  const comesUp = async (untilMs: number): Promise<boolean> => {
    do await loop.runUntil(loop.monotonicMs() + 5_000);
    while (!loop.halted && !isUp() && loop.monotonicMs() < untilMs);
    const isThere = isUp();
    if (isThere) await loop.runUntil(loop.monotonicMs() + looksMs);
    return isThere;
  };
  // A process that started last has not taken the Lease yet, nor seen what there is to record.
  await comesUp(loop.monotonicMs() + comesUpMs);
  crashAll(dayMs);
  const beginsMs = loop.monotonicMs() + dayMs;
  await loop.runUntil(beginsMs - 1);
  // By now the last requests of the killed processes have arrived, for example the last Events of a large world.
  const since = server.history().length;
  // Real API servers keep five to ten minutes of history.
  server.compact();
  if (!(await comesUp(beginsMs + comesUpMs))) return [leftLying('no process of the next day came up')];
  const history = server.history();
  return history
    .slice(since)
    .filter((write) => isWork(write) && !isIgnoredNoMore(write, (source) => wentIgnored(source, server, rules)))
    .map(workOf);
}

/**
 * Whether the write is work that was left over. These writes are not: renewals of the Lease, Events that repeat what is
 * wrong with a workload, and the first record of a workload that the former process had not seen yet and that uses
 * nothing that exists.
 */
function isWork(write: WriteRecord): boolean {
  const { kind, user, object, previous } = write;
  if (!isEngine(user) || kind.kind === 'Lease') return false;
  if (kind.kind === 'Event') return object['reason'] === 'Reloaded';
  // The former process may have ended before it could create this key.
  if (kind.kind === 'Secret' && object.metadata.name.endsWith('-key')) return previous !== undefined;
  const isFirstRecord = isOfEngine(write) && baselineOf(previous) === undefined && !isRestart(write);
  return !isFirstRecord;
}

/**
 * Whether the write only records the absence of sources that were ignored until they were deleted. To a process that
 * has not seen that, such a source is like any other that does not exist.
 */
function isIgnoredNoMore(
  { user, object, previous, type }: WriteRecord,
  wasIgnored: (source: SourceName) => boolean,
): boolean {
  if (!isEngine(user) || previous === undefined || type === 'DELETED') return false;
  if (templateOf(previous) !== templateOf(object)) return false;
  const before = recordedOf(previous);
  const after = recordedOf(object);
  const added = [...after].filter(([source]) => !before.has(source));
  const isKept = [...before].every(([source, entry]) => JSON.stringify(after.get(source)) === JSON.stringify(entry));
  return isKept && added.length > 0 && added.every(([source, entry]) => entry === '-' && wasIgnored(source));
}

/**
 * Whether a source is gone, and was ignored when a process last saw it. That may be a while before it went: a watch
 * that is behind may show an older state and then the deletion. A source without the label that the install
 * selects is gone as well. The history also contains what a restore of etcd has undone: a process may have seen the
 * source in that time.
 */
function wentIgnored(source: SourceName, server: ApiServer, rules: Rules): boolean {
  const writes = server.history().filter(({ kind, key }) => `${kind.kind} ${key}` === source);
  const last = writes.at(-1);
  const now = last && server.store.get(last.kind, last.key);
  if (now && isSelectedSource(now, rules)) return false;
  const isThere = (write: WriteRecord): boolean => write.type !== 'DELETED' && isSelectedSource(write.object, rules);
  const endedMs = (index: number): number => writes[index + 1]?.atMs ?? Infinity;
  const wentMs = endedMs(writes.findLastIndex(isThere));
  return writes.some(
    (write, index) => isThere(write) && flagsOf(write.object).ignored && endedMs(index) >= wentMs - behindMs,
  );
}

function workOf({ kind, key, type, revision, user }: WriteRecord): Violation {
  return leftLying(
    `${kind.kind} ${key} was ${type} by ${user} at revision ${revision}, a day after everything was done`,
  );
}

function leftLying(sentence: string): Violation {
  return { promise: 'left lying', sentence };
}
