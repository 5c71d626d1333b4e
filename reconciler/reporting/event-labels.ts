import type { SourceKind } from '../../shared/domain/sources/source';
import type { SourceChange } from '../sources/source-index';

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
export function eventLabels(change: SourceChange) {
  return { event_type: eventTypes[whatHappened(change)], resource_type: resourceTypes[change.kind] };
}
