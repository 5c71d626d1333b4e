import { objectAt } from '../apiserver/json';
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
 * forgot its workloads. Or the write got no answer, somebody scaled the Deployment before the process saw either, and no
 * controller tells which ReplicaSet is rolled out. Whoever sees the workload next takes the restart for done. Nothing else
 * may lose a restart here.
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
  if (isForgotten || isOvertaken(write, writes[last + 1])) return write.revision;
  return write.user === holder || write.user === next?.user ? 0 : write.revision;
}

/** Whether the Deployment looks as if somebody had removed a marker that was stored: its generation is two higher. */
function isOvertaken({ previous, object }: WriteRecord, next: WriteRecord | undefined): boolean {
  if (!next || isOfEngine(next) || objectAt(object, 'status')['observedGeneration'] !== undefined) return false;
  const [before = 0, after = 0] = [previous?.metadata.generation, next.object.metadata.generation];
  return next.kind.kind === 'Deployment' && after > before + 1;
}
