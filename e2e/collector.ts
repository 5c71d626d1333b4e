import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A span as a collector receives it. */
export interface CollectedSpan {
  /** `service.name` of the process that sent it. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined: it is the first of its trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** The message of its error; undefined: it is no error. */
  readonly error: string | undefined;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan extends Omit<CollectedSpan, 'service' | 'startMs' | 'endMs' | 'attributes' | 'error'> {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** The spans of the bodies of OTLP requests, in JSON. */
export function spansIn(bodies: readonly string[]): readonly CollectedSpan[] {
  return bodies.flatMap((body) =>
    (JSON.parse(body) as OtlpRequest).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = String(attributesOf(resource.attributes)['service.name']);
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(service, span)));
    }),
  );
}

function collected(service: string, span: OtlpSpan): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, links, status } = span;
  return {
    ...{ service, traceId, spanId, parentSpanId, name, links },
    ...{ startMs: Number(startTimeUnixNano) / 1e6, endMs: Number(endTimeUnixNano) / 1e6 },
    attributes: attributesOf(span.attributes),
    error: status.code === 2 ? (status.message ?? '') : undefined,
  };
}

function attributesOf(pairs: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A trace as lines, each span below its parent and indented, in the order of their starts. */
export function drawn(spans: readonly CollectedSpan[], parent?: CollectedSpan, indent = ''): readonly string[] {
  const below = spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
  return below
    .toSorted((left, right) => left.startMs - right.startMs)
    .flatMap((span) => [`${indent}${span.name} (${span.service})`, ...drawn(spans, span, `${indent}  `)]);
}

/** An OpenTelemetry collector that listens on loopback. */
export class Collector {
  readonly #server: Server;
  readonly #bodies: string[] = [];
  #onReceived: () => void = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const isWelcome = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json';
        if (isWelcome) this.#bodies.push(body);
        response.writeHead(isWelcome ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
        this.#onReceived();
      });
    });
  }

  static async open(): Promise<Collector> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Collector(server);
  }

  /** For `--otlp-endpoint`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with all spans, once they have these names, in any order. */
  async received(...names: readonly string[]): Promise<readonly CollectedSpan[]> {
    for (;;) {
      const spans = spansIn(this.#bodies);
      const missing = names.filter((name) => !spans.some((span) => span.name === name));
      if (missing.length === 0) return spans;
      await new Promise<void>((resolve) => (this.#onReceived = resolve));
    }
  }

  close(): void {
    this.#server.close();
  }
}
