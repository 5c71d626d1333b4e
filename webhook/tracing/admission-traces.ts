import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { changeSpanId, spanIdOf, traceIdOf } from '../../shared/domain/sources/trace-id';
import type { Clock } from '../../shared/runtime/clock';
import { attributeNames, changeAttributes, serverAttributes } from '../../shared/tracing/attributes';
import type { SpanAttributes, SpanSink } from '../../shared/tracing/span';
import type { ChannelDrop } from '../metrics';

/** Told how the delivery of a record ended, and to which replica; without one, the record was dropped before. */
export type DeliveryEnd = (result: 'sent' | ChannelDrop, address?: string) => void;

export interface AdmissionTracesOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly spans: SpanSink;
}

/**
 * What the webhook adds to the traces of changes. The admission is the first span of a trace, and the reconciler hangs its
 * own below it (see `RestartTraces`).
 */
export class AdmissionTraces {
  readonly #clock: AdmissionTracesOptions['clock'];
  readonly #spans: SpanSink;

  constructor({ clock, spans }: AdmissionTracesOptions) {
    this.#clock = clock;
    this.#spans = spans;
  }

  /** A change was allowed just now, whose review was received at `receivedMs` by the monotonic clock. */
  admitted(record: ChangeRecord, receivedMs: number): void {
    const traced = tracedChange(record);
    if (!traced) return;
    const { traceId, attributes } = traced;
    const nowMs = this.#clock.nowMs();
    this.#spans.add(
      {
        ...{ traceId, spanId: changeSpanId(traceId), parentSpanId: undefined, name: `admit ${record.kind}` },
        ...{ kind: 'server', startMs: nowMs - (this.#clock.monotonicMs() - receivedMs), endMs: nowMs, attributes },
      },
      record.namespace,
    );
  }

  /** The record is on its way. Undefined: it is in no trace. */
  delivery(record: ChangeRecord): DeliveryEnd | undefined {
    const traced = tracedChange(record);
    if (!traced) return undefined;
    const { namespace } = record;
    const { traceId, attributes } = traced;
    const startMs = this.#clock.nowMs();
    return (result, address) =>
      this.#spans.add(
        {
          ...{ traceId, spanId: spanIdOf(traceId, 'deliver', record.id, address ?? ''), name: 'deliver' },
          ...{ parentSpanId: changeSpanId(traceId), kind: 'client', startMs, endMs: this.#clock.nowMs() },
          attributes: {
            ...attributes,
            [attributeNames.delivery]: result,
            ...(address !== undefined && serverAttributes(address)),
          },
          error: result === 'sent' ? undefined : result,
        },
        namespace,
      );
  }
}

function tracedChange(
  record: ChangeRecord,
): { readonly traceId: string; readonly attributes: SpanAttributes } | undefined {
  const { kind, namespace, name, change: changeId, changed, user, manager } = record;
  if (changeId === undefined) return undefined;
  const source = { kind, namespace, name };
  const keys = [...changed.added, ...changed.changed, ...changed.removed];
  return {
    traceId: traceIdOf(source, changeId),
    attributes: changeAttributes({ source, changeId, keys, user, manager }),
  };
}
