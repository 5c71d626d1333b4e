import type { WriteRecord } from '../apiserver/store';
import type { Case } from './case';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, namespaceOf, type Life } from './lives';
import { withoutOurs } from './without-ours';

/**
 * Whether the newest write is an engine's write that others altered, or one that follows from it. What others remove
 * from a write by Reroll counts as not done. Without its marker the write is no restart, and the process that wrote it
 * takes the record back. A record that was removed is written again. In the end the owed restart comes, like any other.
 * Until then records are written and taken back, and if no process could record a restart, the next process restarts
 * once more.
 */
export function isOfAltered({ altered }: Case, { writes }: Life): boolean {
  const write = writes.at(-1);
  if (!write || !isOfEngine(write)) return false;
  if (altered.has(write)) return true;
  if (isRestart(write)) return false;
  const kept = writes.findLastIndex((each) => isOfEngine(each) && isRestart(each) && !altered.has(each));
  return writes.slice(kept + 1).some((each) => altered.has(each));
}

/** Even an altered write must change nothing that is not Reroll's. */
export function checkOfAltered({ name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write?.previous) return [];
  if (JSON.stringify(withoutOurs(write.previous)) === JSON.stringify(withoutOurs(write.object))) return [];
  const sentence = `${name} at revision ${write.revision} by ${write.user}: changed what is not ours`;
  return [{ promise: 'foreign write', sentence }];
}

/** The writes to the workload that others altered. */
export function alteredIn({ altered }: Case, { writes }: Life): readonly WriteRecord[] {
  return writes.filter((write) => altered.has(write));
}

/**
 * The revision at which others last took out the marker of a restart whose record nobody took back, or 0. The process
 * that wrote the record ended before it could take it back, or the namespace was left out meanwhile, and the process
 * forgot its workloads. Whoever sees the workload next takes the restart for done. Nothing else may lose a restart here.
 */
export function notTakenBack({ altered, holder, namespaces }: Case, life: Life): number {
  const { writes } = life;
  const last = writes.findLastIndex((write) => altered.has(write));
  const write = writes[last];
  if (!write) return 0;
  const next = writes.slice(last + 1).find(isOfEngine);
  const isForgotten = namespaces
    .gains(namespaceOf(life))
    .some(({ revision }) => revision > write.revision && revision < (next?.revision ?? Infinity));
  if (isForgotten) return write.revision;
  return write.user === holder || write.user === next?.user ? 0 : write.revision;
}
