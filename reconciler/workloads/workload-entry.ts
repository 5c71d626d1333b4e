import { sameSources, type Baseline } from '../../shared/domain/baseline/baseline';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { UntrackedReason } from '../../shared/domain/protocol/workload-inspection';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { StoredVersion } from '../../shared/kube/client/objects';
import type { AwaitedVersion } from './awaited-version';
import type { SeenWorkload, UntrackedWorkload } from './referenced-since';

/** What our own write has stored. */
export interface WrittenVersion extends StoredVersion {
  /** Something removed the baseline on its way, or kept the former one. */
  readonly lacksBaseline?: true;
}

/** A workload as the index keeps it. */
export interface WorkloadEntry extends TrackedWorkload, SeenWorkload {
  /** Our own write, or what was read, until the watch shows it: older states that arrive late must not replace it. */
  readonly awaited: AwaitedVersion | undefined;
  /** The baseline on the object was made under another digest key. */
  readonly underOtherKey: boolean;
  /**
   * The baseline is kept only in memory, so it is not lost if the object does not show it. This is the number of the one that
   * was stored then. A later one counts more, whatever the number in memory: another leader wrote it. Undefined: it is stored.
   */
  readonly keptOver: number | undefined;
}

/** A workload that nothing may restart, as the index keeps it. */
export interface UntrackedEntry extends UntrackedWorkload {
  readonly because: UntrackedReason;
  /** The opt-out that was read, until the watch shows it. */
  readonly awaited: AwaitedVersion | undefined;
}

/** What the baseline on an object says. */
export interface ReadBaseline {
  readonly baseline?: Baseline;
  readonly problem: string | undefined;
  /** It was made with another digest key. */
  readonly underOtherKey?: boolean;
}

/**
 * Whether a decision could differ, or there is another problem to report. During a rollout, a workload's status changes
 * many times a second.
 */
export function differs(previous: WorkloadEntry, entry: WorkloadEntry): boolean {
  return (
    previous.signature !== entry.signature ||
    previous.record.baselineText !== entry.record.baselineText ||
    previous.record.deleting !== entry.record.deleting ||
    !sameGateSettings(previous.record.gates, entry.record.gates) ||
    JSON.stringify(previous.record.pause) !== JSON.stringify(entry.record.pause) ||
    JSON.stringify(previous.record.problems) !== JSON.stringify(entry.record.problems)
  );
}

/**
 * The known baseline, if it was read from the same text: most events change only the status. A baseline that is in
 * memory, lost or just written was not read from the object.
 */
export function knownBaseline(
  previous: WorkloadEntry | undefined,
  { baselineText }: WorkloadRecord,
): Baseline | undefined {
  if (!previous || previous.baselineLost || previous.keptOver !== undefined || previous.awaited) return undefined;
  return previous.record.baselineText === baselineText ? previous.baseline : undefined;
}

/** Whether the baseline that was known counts more than the one on the object, if they do not record the same. */
export function outdoes(previous: WorkloadEntry | undefined, read: Baseline | undefined): boolean {
  if (!previous?.baseline) return false;
  const { baseline, keptOver } = previous;
  return keptOver === undefined ? baseline.sequence > (read?.sequence ?? -1) : keptOver >= (read?.sequence ?? -1);
}

/**
 * A list that began before our own write shows neither the restart nor its rollout, and others may wait for that. Both
 * count until the watch shows our write, too.
 */
export function withRestartOf(
  { record: { lastRestart, progress } }: WorkloadEntry,
  record: WorkloadRecord,
): WorkloadRecord {
  return { ...record, ...(lastRestart && { lastRestart }), progress };
}

export function recordsSame(left: Baseline | undefined, right: Baseline | undefined): boolean {
  return left !== undefined && left.keyId === right?.keyId && sameSources(left.sources, right.sources);
}
