import { baselineOf, isRecordedParsed, matches, sourceOfEntry } from './baseline-text';
import type { Case } from './case';
import type { Content } from './contents';
import type { Violation } from './judge';
import { recordsToday } from './judge-counted';
import { isRestart, ownBaselineOf } from './judge-engine-writes';
import { isOfEngine, type Life } from './lives';
import { hasOnlyNewPods } from './only-new-pods';
import { differ } from './reason';
import { templateOf } from './usage';

/**
 * A baseline that changes without a restart must stand for somebody else's rollout: the pods of the newest template
 * have read the recorded content, or a later one. A baseline that was lost, restored or started again is not checked.
 */
export function checkFold(opened: Case, { name, writes }: Life): readonly Violation[] {
  const { contents, stored, digests } = opened;
  const write = writes.at(-1);
  if (!write || !digests || !isOfEngine(write) || isRestart(write)) return [];
  const { previous, object, revision, user } = write;
  const before = ownBaselineOf(previous);
  const after = baselineOf(object);
  const newest = Math.max(...writes.slice(0, -1).map((former) => baselineOf(former.object)?.n ?? -1));
  // Under another key everything is recorded again.
  if (!before || !after || before.n !== newest || before.key !== after.key) return [];
  const rolled = writes.findLast((former) => templateOf(former.previous) !== templateOf(former.object)) ?? writes[0];
  const isOthers = rolled.previous !== undefined && !isOfEngine(rolled);
  return Object.entries(after.sources).flatMap(([id, entry]): readonly Violation[] => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    const former = before.sources[id];
    if (source === undefined || former === undefined || former === '-') return [];
    // The engine does not know yet what came in between, and acts on it when it does.
    // Pods read what is stored, selected or not. To the engine, a source that is not selected does not exist.
    const versions = [...contents.versions(source), ...stored.versions(source)];
    const until = versions.filter((version) => version.revision <= rolled.revision);
    // Of a source that is compared parsed, another formatting is the same content.
    const isParsed = isRecordedParsed(object, source);
    const isRecorded = (content: Content | undefined): boolean =>
      matches(digests, source, content, entry) ||
      (isParsed && content !== undefined && recordsToday(opened, source, entry, content));
    const [formerParsed, parsed] = [before.parsed?.[id], after.parsed?.[id]];
    const areParsed = formerParsed !== undefined && parsed !== undefined;
    if ((areParsed ? differ(formerParsed, parsed) : differ(former, entry)) !== true) return [];
    const at = `${name} at revision ${revision} by ${user}`;
    if (until.some(({ content }) => isRecorded(content))) {
      // The deletion of a source that is annotated to be ignored is recorded, and no rollout need answer it.
      const counts = opened.usageAt(object, revision).has(source);
      if (!isOthers || !counts || hasOnlyNewPods(previous)) return [];
      const early = `${at}: a change of ${source} is recorded before all pods are of the template of revision ${rolled.revision}`;
      return [{ promise: 'missed change', sentence: early }];
    }
    const sentence = `${at}: a change of ${source} is recorded as if the rollout of revision ${rolled.revision} had come after it`;
    return [{ promise: 'missed change', sentence }];
  });
}
