import type { MetricRegistry } from '../runtime/metric-registry';

/** What became of a span. */
const spanResults = ['sent', 'queue_full', 'refused', 'unreachable', 'stopped'] as const;
export type SpanResult = (typeof spanResults)[number];

export class SpanMetrics {
  readonly spansTotal;

  constructor(registry: MetricRegistry) {
    this.spansTotal = registry.counter('reroll_trace_spans_total', 'Spans of traces, by result.', {
      result: spanResults,
    });
  }
}
