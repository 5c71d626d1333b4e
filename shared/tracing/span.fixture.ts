import { ATTR_K8S_NAMESPACE_NAME } from '@opentelemetry/semantic-conventions';
import type { Span, SpanSink } from './span';

export function spanOf(changed: Partial<Span> = {}): Span {
  return {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentSpanId: undefined,
    name: 'admit ConfigMap',
    kind: 'server',
    startMs: Date.UTC(2026, 0, 1),
    endMs: Date.UTC(2026, 0, 1) + 12,
    attributes: { [ATTR_K8S_NAMESPACE_NAME]: 'shop' },
    ...changed,
  };
}

/** Keeps the spans that it is given. */
export class RecordingSpans implements SpanSink {
  readonly spans: Span[] = [];
  readonly namespaces: string[] = [];

  add(span: Span, namespace: string): void {
    this.spans.push(span);
    this.namespaces.push(namespace);
  }

  named(name: string): readonly Span[] {
    return this.spans.filter((span) => span.name === name);
  }
}
