import type { Case } from './case';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { namespaceOf, type Life } from './lives';
import { endsPause } from './pause-text';

/** A watch of namespaces may be behind, and what is under way by then is brought to its end. */
const behindMs = 25_000;
/** As long as a watch may last, and a little more. */
const silentMs = 11 * 60_000;

/** What is in a namespace that is left out is left alone, but for a pause that is to end. */
export function checkLeftOut({ namespaces, restored, rules }: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  // A Job that is gone comes back, wherever it was.
  if (!write || !isEngine(write.user) || write.type === 'ADDED' || endsPause(write)) return [];
  const sinceMs = namespaces.leftOutSinceMs(namespaceOf(life));
  const toldMs = Math.max(sinceMs ?? 0, restored?.atMs ?? 0);
  if (sinceMs === undefined || write.atMs - toldMs < (rules.watchesFellSilent ? silentMs : behindMs)) return [];
  const sentence = `${life.name} at revision ${write.revision} by ${write.user}: its namespace is not selected`;
  return [{ promise: 'left out', sentence }];
}
