import { errorMessage } from '../../shared/domain/errors';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { WatchStatus } from '../watch/watches';
import { wallTime, type InspectionView } from './inspection-view';

/** Where the list-watches stand. */
export function watchFacts(watches: readonly WatchStatus[]): HealthInspection['watches'] {
  return watches.map(({ name, state, synced, begun, lastError }) => ({
    ...{ name, state, listed: synced, watching: begun },
    ...(lastError && { problem: errorMessage(lastError) }),
  }));
}

/** How much is still to be looked at, which permissions were refused, and what the webhook has reported. */
export function workFacts(view: InspectionView): Pick<HealthInspection, 'queue' | 'missingPermissions' | 'records'> {
  const { queue, permissions } = view;
  const oldestMs = queue.oldestDueMs();
  return {
    missingPermissions: permissions.reported,
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
