import type { Resource } from '@opentelemetry/resources';
import { BoundedMap } from '../domain/bounded-map';
import { budgets } from '../domain/budgets';
import { Deliveries } from '../kube/client/deliveries';
import { tryTimeoutMs, type PostTransport } from '../outbound/post-transport';
import { sleep, type Clock } from '../runtime/clock';
import type { Logger } from '../runtime/log/logger';
import type { Random } from '../runtime/random';
import { otlpRequest } from './otlp-request';
import type { Span, SpanSink } from './span';
import type { SpanMetrics, SpanResult } from './span-metrics';

export interface SpanExporterOptions {
  readonly transport: PostTransport;
  /** The process that the spans are of. */
  readonly resource: Resource;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: SpanMetrics;
}

/** The defaults of OpenTelemetry's SDKs. */
export const maxBatchSpans = 512;
export const batchAfterMs = 5_000;
/** A collector accepts much more. JSON takes twice the estimate. */
const maxBatchBytes = 512 * 1024;

const retryLimits = { tries: 5, withinMs: 60_000, tryTimeoutMs, backoff: { baseMs: 1_000, maxMs: 30_000 } };

/** When the process ends, the last spans are sent if the endpoint accepts them at once. */
const stopGraceMs = 1_000;

/** OTLP forbids another try after any other status. @see https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Estimated size of a span without its texts. */
const spanBytes = 500;
const linkBytes = 150;

/**
 * Sends spans to an OTLP endpoint, in batches and one at a time. Nothing waits for it: an endpoint that hangs, refuses or
 * lies costs the spans, which are counted, and a bounded amount of memory.
 */
export class SpanExporter implements SpanSink {
  readonly #options: SpanExporterOptions;
  /** By number, oldest first. */
  readonly #waiting: BoundedMap<number, Span>;
  #added = 0;
  /** Ends the wait for more spans early. */
  #full = new AbortController();
  /** No more spans are accepted; those that wait are sent at once. */
  #isClosing = false;
  /** Nothing is sent any more. */
  readonly #stop = new AbortController();
  #run: Promise<void> | undefined;
  readonly #deliveries: Deliveries;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    const limits = { maxBytes: budgets.spanBytes, maxOwnerBytes: budgets.spanNamespaceBytes };
    this.#waiting = new BoundedMap(limits, () => this.#count('queue_full', 1));
    const { clock, random, logger } = options;
    this.#deliveries = new Deliveries({
      ...{ clock, random, limits: retryLimits, signal: this.#stop.signal },
      isTransient: (status) => transientStatuses.has(status),
      onOutage: (error) =>
        logger.warn(
          'traces are lost, restarts go on: see --otlp-endpoint, which must take OTLP over HTTP as JSON; a collector does so on port 4318',
          { error },
        ),
      onRecovery: () => logger.info('traces are received again'),
    });
  }

  add(span: Span, namespace: string): void {
    if (this.#isClosing) {
      this.#count('stopped', 1);
      return;
    }
    this.#waiting.set(this.#added++, span, bytesOf(span), namespace);
    if (this.#isBatchFull()) this.#full.abort();
    this.#run ??= this.#sendAll();
  }

  /** Resolves soon. Spans that cannot be sent by then are lost and counted. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    this.#full.abort();
    const grace = this.#options.clock.timer(stopGraceMs, () => this.#stop.abort());
    await this.#run;
    grace.cancel();
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { clock, resource, transport } = this.#options;
    while (this.#waiting.size > 0) {
      await sleep(clock, batchAfterMs, this.#full.signal);
      const batch = this.#takeBatch();
      if (!this.#isClosing && !this.#isBatchFull()) this.#full = new AbortController();
      const post = { contentType: 'application/json', body: otlpRequest(batch, resource) };
      const result = await this.#deliveries.deliver(async (signal) => await transport.post(post, signal));
      this.#count(result, batch.length);
    }
    this.#run = undefined;
  }

  #isBatchFull(): boolean {
    return this.#waiting.size >= maxBatchSpans || this.#waiting.bytes >= maxBatchBytes;
  }

  #takeBatch(): readonly Span[] {
    const batch: Span[] = [];
    let bytes = 0;
    for (const [number, span] of this.#waiting.entries()) {
      bytes += bytesOf(span);
      if (batch.length > 0 && (batch.length >= maxBatchSpans || bytes > maxBatchBytes)) break;
      batch.push(span);
      this.#waiting.delete(number);
    }
    return batch;
  }

  #count(result: SpanResult, spans: number): void {
    this.#options.metrics.spansTotal.inc({ result }, spans);
  }
}

function bytesOf({ attributes, links = [], error = '' }: Span): number {
  const texts = Object.entries(attributes).flat(2);
  const own = spanBytes + error.length + links.length * linkBytes;
  return texts.reduce<number>((bytes, text) => bytes + String(text).length, own);
}
