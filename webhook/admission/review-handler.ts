import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { AdmissionObservers } from './admission-observers';
import type { AdmissionObserver } from './admission-observer';
import { AdmissionPlugins } from './admission-plugins';
import type { AdmissionPlugin } from './admission-plugin';
import { InFlight, type InFlightLimits } from './in-flight';
import type { ReviewPath, WebhookMetrics } from '../metrics';
import { ReviewExchange, type ReviewAnswer } from './review-exchange';

export interface ReviewHandlerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  /** What is done when an answer has been written. */
  readonly duties: readonly AdmissionObserver[];
  /** What is said in answers. */
  readonly plugins?: readonly AdmissionPlugin[];
  readonly limits?: InFlightLimits;
}

export interface ReviewCall {
  readonly path: ReviewPath;
  /** How long the API server waits, as it says in `?timeout=`. */
  readonly timeoutMs?: number | undefined;
  /** Called once, within a call into the exchange or from its deadline; not at all after an abort. */
  readonly answer: (answer: ReviewAnswer) => void;
}

/** A hundred reviews of ConfigMaps of 80 KB; two of the largest there can be, whose texts may take twice their bytes. */
const defaultLimits: InFlightLimits = { requests: 256, bytes: 16 * 1024 * 1024 };

/** The API server is told to wait two seconds: a review whose body takes so long is answered without it. */
const ownDeadlineMs = 500;

/**
 * Answers admission reviews: allowed, always, and before anything is done about them but what the answer is to say.
 *
 *     begin ─▶ push… ─▶ end ─▶ 200 allowed ─▶ duties
 *                │       ├───▶ answer duties ─▶ 200 allowed, with what they have said by the deadline ─▶ duties
 *                │       └───▶ 400: no review
 *                ├── over 7 MiB ─▶ 413
 *                ├── more values than can be parsed in time ─▶ 200 allowed, no duties
 *                ├── too much in flight ─▶ the rest is dropped as it comes; 200 allowed, no duties
 *                └── deadline ─▶ 200 allowed, no duties
 */
export class ReviewHandler {
  readonly #options: ReviewHandlerOptions;
  readonly #inFlight: InFlight;
  readonly #duties: AdmissionObservers;
  readonly #plugins: AdmissionPlugins;

  constructor(options: ReviewHandlerOptions) {
    this.#options = options;
    this.#inFlight = new InFlight(options.limits ?? defaultLimits);
    this.#duties = new AdmissionObservers(options);
    const { logger, metrics, plugins = [] } = options;
    this.#plugins = new AdmissionPlugins({ logger, metrics, duties: plugins });
    metrics.registry.onScrape(() => {
      metrics.inFlight.set(this.#inFlight.requests);
      metrics.bytesInFlight.set(this.#inFlight.bytes);
    });
  }

  /** What is being read, or waits for what is to be said. */
  get inFlight(): InFlightLimits {
    return { requests: this.#inFlight.requests, bytes: this.#inFlight.bytes };
  }

  /** Takes a call whose head has arrived. The caller hands over the body. */
  begin({ path, timeoutMs, answer }: ReviewCall): ReviewExchange {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    return new ReviewExchange({
      clock,
      deadlineMs: Math.min(ownDeadlineMs, (timeoutMs ?? Infinity) / 2),
      place: this.#inFlight.enter(),
      onShed: (reason) => metrics.shedTotal.inc({ reason }),
      onAnswer: (given) => {
        metrics.requestsTotal.inc({ path, code: String(given.status) });
        metrics.reviewDurationSeconds.observe((clock.monotonicMs() - startMs) / 1000);
        answer(given);
      },
      gather: (request) => this.#plugins.gather(request, path),
      onRequest: (request) => this.#duties.run(request),
    });
  }
}
