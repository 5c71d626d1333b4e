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

/** How much is still to be looked at, and which permissions were refused. */
export function workFacts(view: InspectionView): Pick<HealthInspection, 'queue' | 'missingPermissions'> {
  const { queue, permissions } = view;
  const oldestMs = queue.oldestDueMs();
  return {
    missingPermissions: permissions.reported,
    queue: { length: queue.depth, ...(oldestMs !== undefined && { oldestDueSince: wallTime(view, oldestMs) }) },
  };
}

/** A process that watches no workloads has none to look at. */
export const noWork: ReturnType<typeof workFacts> = { missingPermissions: [], queue: { length: 0 } };
