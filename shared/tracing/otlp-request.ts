import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import { version } from '../runtime/version';
import type { Span, SpanRef } from './span';

type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

const kinds: Readonly<Record<Span['kind'], SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
};

const instrumentationScope = { name: 'reroll', version };

/** The body of a POST to an OTLP endpoint, as JSON. @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function otlpRequest(spans: readonly Span[], resource: Resource): Buffer {
  const readable = spans.map((span) => readableSpan(span, resource));
  return Buffer.from(JsonTraceSerializer.serializeRequest(readable) ?? []);
}

function readableSpan(span: Span, resource: Resource): ReadableSpan {
  const { traceId, parentSpanId, name, kind, startMs, endMs, attributes, links = [], error } = span;
  return {
    ...{ name, kind: kinds[kind], resource, instrumentationScope },
    spanContext: () => contextOf(span),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf({ traceId, spanId: parentSpanId }) }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    ended: true,
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
    ),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    links: links.map((link) => ({ context: contextOf(link) })),
    events: [],
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

function contextOf({ traceId, spanId }: SpanRef): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

/** Seconds and nanoseconds. Clocks tell fractions of a millisecond, and microseconds are enough of them. */
function hrTime(ms: number): HrTime {
  const microseconds = Math.round(ms * 1_000);
  return [Math.floor(microseconds / 1_000_000), (microseconds % 1_000_000) * 1_000];
}
