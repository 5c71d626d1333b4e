import { eventLabels } from './event-labels';
import type { Metrics } from '../metrics/metrics';
import type { SourceChange } from '../sources/source-index';

type EventCounters = Pick<Metrics, 'eventsReceivedTotal' | 'eventsProcessedTotal' | 'skippedTotal'>;

/** A noted change counts as processed: it is in a queue, and the queue never gives up. */
export function countEvent(metrics: EventCounters, change: SourceChange): void {
  const labels = eventLabels(change);
  metrics.eventsReceivedTotal.inc(labels);
  metrics.eventsProcessedTotal.inc({ ...labels, result: 'success' });
}

/** A change in a namespace that the namespace selector does not select. */
export function countPassedOver(metrics: EventCounters, change: SourceChange): void {
  metrics.eventsReceivedTotal.inc(eventLabels(change));
  metrics.skippedTotal.inc({ reason: 'ignored_or_not_selected' });
}
