import { errorMessage } from '../../shared/domain/errors';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionObserver } from './admission-observer';
import type { AdmissionRequest } from './admission-review';
import type { WebhookMetrics } from '../metrics';

export interface AdmissionObserversOptions {
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly observers: readonly AdmissionObserver[];
}

/**
 * Runs the observers as soon as the answer has been written. If reviews waited for a later turn of the event loop, the
 * garbage collector would have to copy them, although most of a review is garbage at once.
 */
export class AdmissionObservers {
  readonly #options: AdmissionObserversOptions;

  constructor(options: AdmissionObserversOptions) {
    this.#options = options;
  }

  /** Never throws: if one observer fails, the others still run. */
  run(request: AdmissionRequest): void {
    for (const observer of this.#options.observers) {
      try {
        if (observer.wants(request)) observer.run(request);
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
