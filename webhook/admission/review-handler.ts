import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { type AdmissionObserver, AdmissionObservers } from './admission-observers';
import { type AdmissionPlugin, AdmissionPlugins } from './admission-plugins';
import { InFlight, type InFlightLimits } from './in-flight';
import type { ReviewPath, WebhookMetrics } from '../metrics';
import { ReviewExchange, type ReviewAnswer } from './review-exchange';

export interface ReviewHandlerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** Run after the answer has been written. */
  readonly observers: readonly AdmissionObserver[];
  /** Add to the answer. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly limits?: InFlightLimits;
}

export interface ReviewCall {
  readonly path: ReviewPath;
  /** How long the API server waits, from its `?timeout=`. */
  readonly timeoutMs?: number | undefined;
  /** Called once, from a call to the exchange or at its deadline; never after an abort. */
  readonly answer: (answer: ReviewAnswer) => void;
}

/** A hundred reviews of 80 KB ConfigMaps, or two of the largest possible, whose strings may take twice their bytes. */
const defaultLimits: InFlightLimits = { requests: 256, bytes: 16 * 1024 * 1024 };

/** The API server waits two seconds. A review whose body takes this long is allowed unread. */
const ownDeadlineMs = 500;

/**
 * Answers admission reviews. Only plugins run before the answer, and only they can deny; observers run after it.
 *
 *     begin ─▶ push… ─▶ end ─▶ 200 allowed ─▶ observers
 *                │       ├───▶ plugins ─▶ 200 with what they have answered by the deadline ─▶ observers, if allowed
 *                │       └───▶ 400: not a review
 *                ├── over 7 MiB ─▶ 413
 *                ├── more values than can be parsed in time ─▶ 200 allowed, no observers
 *                ├── too many in flight ─▶ the rest of the body is dropped; 200 allowed, no observers
 *                └── deadline ─▶ 200 allowed, no observers
 */
export class ReviewHandler {
  readonly #options: ReviewHandlerOptions;
  readonly #inFlight: InFlight;
  readonly #observers: AdmissionObservers;
  readonly #plugins: AdmissionPlugins;

  constructor(options: ReviewHandlerOptions) {
    this.#options = options;
    this.#inFlight = new InFlight(options.limits ?? defaultLimits);
    this.#observers = new AdmissionObservers(options);
    const { logger, metrics, plugins = [] } = options;
    this.#plugins = new AdmissionPlugins({ logger, metrics, plugins });
    metrics.registry.onScrape(() => {
      metrics.inFlight.set(this.#inFlight.requests);
      metrics.bytesInFlight.set(this.#inFlight.bytes);
    });
  }

  /** Reviews that are being read or wait for their plugins. */
  get inFlight(): InFlightLimits {
    return { requests: this.#inFlight.requests, bytes: this.#inFlight.bytes };
  }

  /** Takes a call whose head has arrived; the caller then pushes the body. */
  begin({ path, timeoutMs, answer }: ReviewCall): ReviewExchange {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    return new ReviewExchange({
      clock,
      deadlineMs: Math.min(ownDeadlineMs, (timeoutMs ?? Infinity) / 2),
      reservation: this.#inFlight.enter(),
      onShed: (reason) => metrics.shedTotal.inc({ reason }),
      onAnswer: (reply) => {
        metrics.requestsTotal.inc({ path, code: String(reply.status) });
        metrics.reviewDurationSeconds.observe((clock.monotonicMs() - startMs) / 1000);
        answer(reply);
      },
      runPlugins: (request) => this.#plugins.run(request, path),
      onRequest: (request) => this.#observers.run(request, startMs),
    });
  }
}
