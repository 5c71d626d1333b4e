import { recordedOf } from './baseline-text';
import type { Case } from './case';
import { recordsToday } from './judge-counted';
import type { Violation } from './judge';
import { isLeftForGood } from './judge-deferred';
import type { Life } from './lives';
import { isNeverRun } from './own-settings';
import { isMountedFromBefore } from './restored';
import { isClass } from './rotations';

/**
 * When everything owed is done, each workload must have recorded the current state of every existing source that it
 * uses.
 */
export function checkRecorded(opened: Case): readonly Violation[] {
  return opened.present.flatMap((life) => checkLife(opened, life));
}

/**
 * No recreation of a Job may stay unfinished: in the end the Job exists again or is somebody else's, and its journal
 * entry is gone.
 */
export function checkUnfinished({ openEntries }: Case): readonly Violation[] {
  return [...openEntries.keys()].map((key) => ({
    promise: 'missed change',
    sentence: `the journal still holds ${key}`,
  }));
}

function checkLife(opened: Case, life: Life): readonly Violation[] {
  const { name, writes } = life;
  const { contents, rules } = opened;
  const { object } = writes.at(-1) ?? writes[0];
  if (isNeverRun(object)) return [];
  const recorded = recordedOf(object);
  return [...opened.usageAt(object)].flatMap(([source, keys]): readonly Violation[] => {
    if (isLeftForGood(opened, life, source)) return [];
    const now = contents.versions(source).at(-1)?.content;
    const entry = recorded.get(source);
    if (isClass(source) && contents.witnessedSinceMs(source) === undefined) return [];
    if (now === undefined) {
      if (!rules.reloadOnDelete || entry === undefined || entry === '-') return [];
      return [{ promise: 'missed change', sentence: `${name} carries a record of ${source}, which is gone` }];
    }
    if (entry === undefined) return [{ promise: 'missed change', sentence: `${name} has no record of ${source}` }];
    const whole = typeof entry === 'string';
    if (whole === (keys === 'all') && recordsToday(opened, source, entry, now)) return [];
    if (isMountedFromBefore(opened, source, entry) || (entry === '-' && contents.isRotatedBack(source))) return [];
    return [{ promise: 'missed change', sentence: `${name} carries a record of ${source} that is not of today` }];
  });
}
