import type { Metrics } from '../metrics/metrics';
import type { SourceChange } from '../sources/source-index';
import { changeId, deletionId } from '../../shared/domain/sources/change-id';
import { hasContent, type SourceKind } from '../../shared/domain/sources/source';

/** The resource name that Reloader's metrics use for each kind of source. */
export const resourceTypes: Readonly<Record<SourceKind, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  SecretProviderClass: 'secretproviderclasspodstatuses',
};

const eventTypes = { created: 'add', changed: 'update', deleted: 'delete' } as const;

export function whatHappened({
  kind,
  before,
  after,
}: Pick<SourceChange, 'kind' | 'before' | 'after'>): keyof typeof eventTypes {
  // For a SecretProviderClass only rotations are seen, so the first one is a change too.
  if (!before) return kind === 'SecretProviderClass' ? 'changed' : 'created';
  return after ? 'changed' : 'deleted';
}

/** The labels of `reloader_events_received_total` and related metrics. */
function eventLabels(change: SourceChange) {
  return { event_type: eventTypes[whatHappened(change)], resource_type: resourceTypes[change.kind] };
}

type EventCounters = Pick<Metrics, 'eventsReceivedTotal' | 'eventsProcessedTotal' | 'skippedTotal'>;

/** A noticed change counts as processed: it is in a queue, and the queue never gives up. */
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

/** The id of a change, if the watch has shown the content. */
export function changeIdOf({ kind, namespace, name, after }: SourceChange): string | undefined {
  if (!after) return deletionId({ kind, namespace, name });
  return hasContent(after) ? changeId(after.uid, after.content.whole()) : undefined;
}
