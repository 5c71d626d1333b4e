/** Values are names, numbers and times. Never content, nor a digest of it. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Another span, also one of another process. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span that has ended. Times are of the wall clock. */
export interface Span extends SpanRef {
  /** Undefined: the first span of its trace. */
  readonly parentSpanId: string | undefined;
  /** One of a few: names of objects are attributes. */
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly links?: readonly SpanRef[];
  /** What failed; undefined: nothing did. */
  readonly error?: string | undefined;
}

/** Takes spans without waiting. */
export interface SpanSink {
  /** `namespace` is that of the object that the span is about: in a flood, it loses spans first. */
  add(span: Span, namespace: string): void;
}
