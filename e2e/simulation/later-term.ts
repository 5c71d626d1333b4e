import type { ApiServer } from '../apiserver/api-server';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf, recordedOf } from './baseline-text';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine } from './lives';
import type { Loop } from './loop';
import { flagsOf } from './source-flags';
import { templateOf } from './usage';

const dayMs = 24 * 60 * 60_000;
/** A Lease that nobody renews is taken over well before this. */
const comesUpMs = 120_000;
/** By then a leader has looked at everything. */
const looksMs = 30_000;

export interface LaterTerm {
  readonly loop: Loop;
  readonly server: ApiServer;
  /** Kills all processes; others begin after so long. */
  readonly crashAll: (downMs: number) => void;
  readonly isUp: () => boolean;
}

/**
 * All processes end, and a day later others begin, where everything owed was done and nobody has done anything since:
 * whatever they find lying, they do nothing.
 */
export async function checkLaterTerm({ loop, server, crashAll, isUp }: LaterTerm): Promise<readonly Violation[]> {
  const comesUp = async (untilMs: number): Promise<boolean> => {
    do await loop.runUntil(loop.monotonicMs() + 5_000);
    while (!loop.halted && !isUp() && loop.monotonicMs() < untilMs);
    const isThere = isUp();
    if (isThere) await loop.runUntil(loop.monotonicMs() + looksMs);
    return isThere;
  };
  // A process that began at the last has not taken the Lease yet, nor seen what there is to record.
  await comesUp(loop.monotonicMs() + comesUpMs);
  const since = server.history().length;
  crashAll(dayMs);
  const beginsMs = loop.monotonicMs() + dayMs;
  await loop.runUntil(beginsMs - 1);
  // API servers remember five to ten minutes.
  server.compact();
  if (!(await comesUp(beginsMs + comesUpMs))) return [leftLying('no process of the next day came up')];
  const history = server.history();
  return history
    .slice(since)
    .filter((write) => isWork(write) && !isIgnoredNoMore(write, history))
    .map(workOf);
}

/**
 * The Lease is renewed, and an Event may tell again what is the matter with a workload. One that the former process had not
 * seen yet, and that uses nothing that exists, is recorded.
 */
function isWork(write: WriteRecord): boolean {
  const { kind, user, object, previous } = write;
  if (!isEngine(user) || kind.kind === 'Lease') return false;
  if (kind.kind === 'Event') return object['reason'] === 'Reloaded';
  // A key that the former process could not make before it ended.
  if (kind.kind === 'Secret' && object.metadata.name.endsWith('-key')) return previous !== undefined;
  const isFirstRecord = isOfEngine(write) && baselineOf(previous) === undefined && !isRestart(write);
  return !isFirstRecord;
}

/**
 * What was to be ignored until it went is, to who has not seen that, a source like any other that is not there: that is
 * recorded, and is all that is done.
 */
function isIgnoredNoMore({ user, object, previous, type }: WriteRecord, history: readonly WriteRecord[]): boolean {
  if (!isEngine(user) || previous === undefined || type === 'DELETED') return false;
  if (templateOf(previous) !== templateOf(object)) return false;
  const before = recordedOf(previous);
  const after = recordedOf(object);
  const added = [...after].filter(([source]) => !before.has(source));
  const isKept = [...before].every(([source, entry]) => JSON.stringify(after.get(source)) === JSON.stringify(entry));
  const wentIgnored = (source: string): boolean => {
    const last = history.findLast(({ kind, key }) => `${kind.kind} ${key}` === source);
    return last?.type === 'DELETED' && flagsOf(last.object).ignored;
  };
  return isKept && added.length > 0 && added.every(([source, entry]) => entry === '-' && wentIgnored(source));
}

function workOf({ kind, key, type, revision, user }: WriteRecord): Violation {
  return leftLying(
    `${kind.kind} ${key} was ${type} by ${user} at revision ${revision}, a day after everything was done`,
  );
}

function leftLying(sentence: string): Violation {
  return { promise: 'left lying', sentence };
}
