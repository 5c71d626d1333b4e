import type { SourceKind } from '../../shared/domain/sources/source';

/** A restart that was written, as it is told outside of the cluster. Names alone: nothing of the content of a source. */
export interface Alert {
  /** What changed: one or more. */
  readonly sources: readonly { readonly kind: SourceKind; readonly name: string }[];
  readonly workload: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** What the Event says: changed keys, their authors, the strategy. */
  readonly detail: string;
}

export interface AlertSink {
  /** Returns at once and never throws: whatever becomes of an alert, the restart it tells about has happened. */
  send(alert: Alert): void;
}
