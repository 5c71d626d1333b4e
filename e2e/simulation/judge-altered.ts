import type { WriteRecord } from '../apiserver/store';
import type { Case } from './case';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, type Life } from './lives';
import { withoutOurs } from './without-ours';

/**
 * What others take out of a write of ours did not happen: it is no restart, and whoever wrote it takes the record of it back, or
 * writes the record again. In the end the restart that is owed comes, as any other. Until then records go back and forth, and
 * where nobody could note a restart, the next process makes it once more.
 */
export function isOfAltered({ altered }: Case, { writes }: Life): boolean {
  const write = writes.at(-1);
  if (!write || !isOfEngine(write)) return false;
  if (altered.has(write)) return true;
  if (isRestart(write)) return false;
  const kept = writes.findLastIndex((each) => isOfEngine(each) && isRestart(each) && !altered.has(each));
  return writes.slice(kept + 1).some((each) => altered.has(each));
}

/** Whatever becomes of it, it changes nothing that is not ours. */
export function checkOfAltered({ name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write?.previous) return [];
  if (JSON.stringify(withoutOurs(write.previous)) === JSON.stringify(withoutOurs(write.object))) return [];
  const sentence = `${name} at revision ${write.revision} by ${write.user}: changed what is not ours`;
  return [{ promise: 'foreign write', sentence }];
}

/** The writes to it that others have altered. */
export function alteredIn({ altered }: Case, { writes }: Life): readonly WriteRecord[] {
  return writes.filter((write) => altered.has(write));
}

/**
 * When others last took the marker of a restart out and nobody took its record back: whoever wrote it ended before it could, and to the
 * next process it has happened. The one limit of what is promised here.
 */
export function notTakenBack({ altered, holder }: Case, { writes }: Life): number {
  const last = writes.findLastIndex((write) => altered.has(write));
  const write = writes[last];
  if (!write || write.user === holder) return 0;
  const next = writes.slice(last + 1).find(isOfEngine);
  return next?.user === write.user ? 0 : write.revision;
}
