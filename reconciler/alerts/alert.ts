import type { LocalSourceRef } from '../../shared/domain/sources/source';

/** A restart that was written, as reported outside the cluster. It holds names, and no content of a source. */
export interface Alert {
  /** The sources that changed; at least one. */
  readonly sources: readonly LocalSourceRef[];
  readonly workload: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** The text of the Event: changed keys, their authors, the strategy. */
  readonly detail: string;
}

export interface AlertSink {
  /** Returns at once and never throws: whatever happens to an alert, its restart has happened. */
  send(alert: Alert): void;
}
