import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { silentMs } from './known-within';
import { namespaceOf, type Life } from './lives';
import { startMs } from './loop';
import { endsPause } from './pause-text';
import { isWatchedKind } from './scope-world';

/** How long a process may still act: its watch of namespaces may be behind, and it finishes what is under way. */
const behindMs = 25_000;
/** After a failed request a watch waits for at most this long. */
const backoffMs = 45_000;

/** A workload that is left out, by its kind or its namespace, must be left alone, except to end a pause. */
export function checkLeftOut({ namespaces, openEntries, restored, rules }: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  // A deleted Job is created again, wherever it was.
  if (!write || !isEngine(write.user) || write.type === 'ADDED' || endsPause(write)) return [];
  const sinceMs = isWatchedKind(rules, write.object) ? namespaces.leftOutSinceMs(namespaceOf(life)) : 0;
  if (sinceMs === undefined) return [];
  const hidden = rules.namespacesHidden.map(({ fromMs, toMs }) => ({ fromMs: startMs + fromMs, toMs: startMs + toMs }));
  const shownMs = hidden
    .filter(({ fromMs, toMs }) => fromMs < sinceMs + behindMs && toMs > sinceMs)
    .map(({ toMs }) => toMs + backoffMs);
  const toldMs = Math.max(sinceMs, restored?.atMs ?? 0, ...shownMs);
  const mayActUntilMs = toldMs + (rules.watchesFellSilent ? silentMs : behindMs);
  if (write.atMs < mayActUntilMs) return [];
  // An entry of the journal is carried out, however long that takes: its Job may have been deleted already.
  if (write.type === 'DELETED' && [...openEntries.values()].some((atMs) => atMs < mayActUntilMs)) return [];
  const sentence = `${life.name} at revision ${write.revision} by ${write.user}: it is left out`;
  return [{ promise: 'left out', sentence }];
}
