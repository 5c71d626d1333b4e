import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import type { Baseline } from '../../shared/domain/baseline/baseline';
import { namedFirst } from '../../shared/domain/plan/attribution';
import { candidates } from '../../shared/domain/plan/candidates';
import { changeId, currentChangeId, deletionId } from '../../shared/domain/sources/change-id';
import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import type { Clock } from '../../shared/runtime/clock';
import { randomHex, type Random } from '../../shared/runtime/random';
import type { Restart } from '../apply/restart';
import { strategies } from '../apply/strategies';
import { baselineText } from '../apply/baseline-too-large-error';
import type { Change } from '../../shared/domain/plan/change';
import type { Hints } from '../hints/hints';
import type { SourceIndex } from '../sources/source-index';
import type { SourceRef } from '../../shared/domain/sources/source';
import type { PauseBegun } from './pauses';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { lastRestartAnnotation } from '../../shared/domain/plan/describe-change';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';

export interface DescribeOptions {
  readonly sources: Pick<SourceIndex, 'get' | 'namesIn'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly defaults: { readonly strategy: StrategyName };
}

/** Everything that a restart writes. Throws a BaselineTooLargeError. */
export function describeRestart(
  options: DescribeOptions,
  workload: TrackedWorkload,
  baseline: Baseline,
  changes: readonly Change[],
  pause?: PauseBegun,
): Restart {
  const { random, clock, defaults } = options;
  const { kind, namespace, settings } = workload.record;
  const id = randomHex(random, 8);
  const nowMs = clock.nowMs();
  const strategy = settings.strategy ?? defaults.strategy;
  const answered = new Set(changes.map(({ changeId }) => changeId));
  const earlierChangeIds = earlierChanges(options, workload).filter((earlier) => !answered.has(earlier));
  return {
    id,
    atMs: nowMs,
    workload,
    changes,
    changeIds: [...answered, ...earlierChangeIds],
    earlierChangeIds,
    baseline,
    strategy,
    marker: strategies[strategy]({ namespace, changes, restartId: id, nowMs }),
    annotations: {
      [ownAnnotations.baseline]: baselineText(workload, baseline),
      [ownAnnotations.lastRestart]: lastRestartAnnotation(id, nowMs, changes, {
        ...{ isLeftToNextRun: isLeftToNextRun(kind, settings), earlierChangeIds },
      }),
      ...pause?.annotations,
    },
    ...(pause && { pausedUntilMs: pause.untilMs }),
  };
}

/**
 * The changes that an earlier restart answered, and whose contents the sources still have. A source whose restarts have
 * stopped would not know otherwise who has its content, once that one restarts for another source.
 */
function earlierChanges({ sources }: DescribeOptions, workload: TrackedWorkload): readonly string[] {
  const known = new Set(workload.record.lastRestart?.changeIds);
  if (known.size === 0) return [];
  return candidates({ workload, sources }).flatMap((source) => {
    const id = currentChangeId(source, sources.get(source));
    return id !== undefined && known.has(id) ? [id] : [];
  });
}

/**
 * Adds the ids of the changes, and the authors that the webhook reported for the content that is stored now, not for
 * content that was only announced, nor for other keys than those that changed for the workload. An author who was known
 * before stays known.
 */
export function attributed(
  hints: Pick<Hints, 'attribution'>,
  { record }: TrackedWorkload,
  changes: readonly (Verdict & Partial<Change>)[],
): readonly Change[] {
  return changes.map((change) => {
    const { kind, name, whole } = change;
    const source = { kind, namespace: record.namespace, name };
    const attribution =
      whole === undefined ? undefined : hints.attribution(source, whole, change.comparison?.changedKeys);
    const id = change.changeId ?? idOf(source, change);
    return { ...change, changeId: id, attribution: namedFirst(attribution, change.attribution) };
  });
}

function idOf(source: SourceRef, { uid, whole }: Verdict): string {
  return uid === undefined || whole === undefined ? deletionId(source) : changeId(uid, whole);
}
