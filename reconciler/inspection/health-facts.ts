import { errorMessage } from '../../shared/domain/errors';
import { reportedHoldOf } from '../../shared/domain/gates/reported-gates';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import { isRefused, type WatchStatus } from '../watch/watches';
import { wallTime, type InspectionView } from './inspection-view';

/** Where the list-watches stand. */
export function watchFacts(watches: readonly WatchStatus[]): HealthInspection['watches'] {
  return watches.map((watch) => ({
    ...{ name: watch.name, state: watch.state, listed: watch.synced, watching: watch.begun },
    ...(watch.lastError && { problem: errorMessage(watch.lastError) }),
    ...(isRefused(watch) && { refused: true }),
  }));
}

/** What is held and still to be looked at, which permissions were refused, and what the webhook has reported. */
export function workFacts(
  view: InspectionView,
): Pick<HealthInspection, 'queue' | 'missingPermissions' | 'records' | 'hold'> {
  const { clock, heldInstall, queue, permissions } = view;
  const oldestMs = queue.oldestDueMs();
  const hold = reportedHoldOf(heldInstall.hold, clock.nowMs());
  return {
    missingPermissions: permissions.reported,
    ...(hold && { hold }),
    queue: { length: queue.depth, ...(oldestMs !== undefined && { oldestDueSince: wallTime(view, oldestMs) }) },
    records: recordFacts(view),
  };
}

function recordFacts(view: InspectionView): NonNullable<HealthInspection['records']> {
  const { taken, refused, lastTakenMs, lastRefused } = view.received.counts;
  return {
    ...{ taken, refused },
    ...(lastTakenMs !== undefined && { lastTakenAt: wallTime(view, lastTakenMs) }),
    ...(lastRefused && { lastRefusedAt: wallTime(view, lastRefused.atMs), lastRefusedBecause: lastRefused.because }),
  };
}

/** A process that watches no workloads has none to look at. */
export const noWork: Pick<HealthInspection, 'queue' | 'missingPermissions'> = {
  missingPermissions: [],
  queue: { length: 0 },
};
