import type { SourceKind } from '../../shared/domain/sources/source';
import type { SourceChange } from '../sources/source-index';

/** What Reloader's metrics call a kind of source: the resource that it watches for it. */
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
  // Of a SecretProviderClass only rotations are seen: the first one, too, is a change.
  if (!before) return kind === 'SecretProviderClass' ? 'changed' : 'created';
  return after ? 'changed' : 'deleted';
}

/** The labels of `reloader_events_received_total` and its like. */
export function eventLabels(change: SourceChange) {
  return { event_type: eventTypes[whatHappened(change)], resource_type: resourceTypes[change.kind] };
}
