import { baselineOf, matches, sourceOfEntry } from './baseline-text';
import type { Case } from './case';
import type { Violation } from './judge';
import { isRestart } from './judge-engine-writes';
import { isOfEngine, type Life } from './lives';
import { differ } from './reason';
import { templateOf } from './usage';

/**
 * A record that moves on without a restart stands for a rollout of somebody else: the pods of the last new template have
 * found what is recorded, or what came after it. A record that was lost, or put back, or begins anew, stands for something else.
 */
export function checkFold({ contents, stored, digests }: Case, { name, writes }: Life): readonly Violation[] {
  const write = writes.at(-1);
  if (!write || !digests || !isOfEngine(write) || isRestart(write)) return [];
  const { previous, object, revision, user } = write;
  const before = baselineOf(previous);
  const after = baselineOf(object);
  const newest = Math.max(...writes.slice(0, -1).map((former) => baselineOf(former.object)?.n ?? -1));
  // Under another key it is recorded anew.
  if (!before || !after || before.n !== newest || before.key !== after.key) return [];
  const rolled = writes.findLast((former) => templateOf(former.previous) !== templateOf(former.object)) ?? writes[0];
  return Object.entries(after.sources).flatMap(([id, entry]): readonly Violation[] => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    const former = before.sources[id];
    if (source === undefined || former === undefined || former === '-') return [];
    // What came between is not known yet, and is answered when it is.
    // Pods read what is stored, selected or not; to the engine, what is not selected is not there.
    const versions = [...contents.versions(source), ...stored.versions(source)];
    const until = versions.filter((version) => version.revision <= rolled.revision);
    if (differ(former, entry) !== true || until.some(({ content }) => matches(digests, source, content, entry))) {
      return [];
    }
    const at = `${name} at revision ${revision} by ${user}`;
    const sentence = `${at}: a change of ${source} is recorded as if the rollout of revision ${rolled.revision} had come after it`;
    return [{ promise: 'missed change', sentence }];
  });
}
