import { errorMessage } from '../../shared/domain/errors';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionRequest } from './admission-review';
import type { WebhookMetrics } from '../metrics';

/**
 * Runs after the answer has been written, so it can neither delay nor change the write. An AdmissionPlugin adds to the
 * answer.
 */
export interface AdmissionObserver {
  readonly name: 'capture';
  /** Called for every review, so it must be cheap. It never throws. */
  wants(request: AdmissionRequest): boolean;
  /**
   * Must not wait, and must not keep the objects. An error is logged and counted. `receivedMs` is when the call arrived, by
   * the monotonic clock.
   */
  run(request: AdmissionRequest, receivedMs: number): void;
}

export interface AdmissionObserversOptions {
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly observers: readonly AdmissionObserver[];
}

/**
 * Runs the observers as soon as the answer has been written. If reviews waited for a later turn of the event loop, the
 * garbage collector would copy them, although most of a review is garbage at once.
 */
export class AdmissionObservers {
  readonly #options: AdmissionObserversOptions;

  constructor(options: AdmissionObserversOptions) {
    this.#options = options;
  }

  /** Never throws: if one observer fails, the others still run. */
  run(request: AdmissionRequest, receivedMs: number): void {
    for (const observer of this.#options.observers) {
      try {
        if (observer.wants(request)) observer.run(request, receivedMs);
      } catch (thrown) {
        this.#options.metrics.pluginFailuresTotal.inc({ duty: observer.name });
        this.#options.logger.debug('a review was allowed, but an observer failed on it', {
          duty: observer.name,
          error: errorMessage(thrown),
        });
      }
    }
  }
}
