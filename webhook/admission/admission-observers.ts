import { errorMessage } from '../../shared/domain/errors';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AdmissionObserver } from './admission-observer';
import type { AdmissionRequest } from './admission-review';
import type { WebhookMetrics } from '../metrics';

export interface AdmissionDutiesOptions {
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly duties: readonly AdmissionObserver[];
}

/**
 * Does what an answered review is for, as soon as its answer has been written. Reviews that waited for a later turn
 * would be what the garbage collector copies from one place to the next, where most of a review is garbage at once.
 */
export class AdmissionObservers {
  readonly #options: AdmissionDutiesOptions;

  constructor(options: AdmissionDutiesOptions) {
    this.#options = options;
  }

  /** Never throws: a duty that fails keeps no other from its work. */
  run(request: AdmissionRequest): void {
    for (const duty of this.#options.duties) {
      try {
        if (duty.wants(request)) duty.run(request);
      } catch (thrown) {
        this.#options.metrics.dutyFailuresTotal.inc({ duty: duty.name });
        this.#options.logger.debug('a review was allowed but could not be used', {
          duty: duty.name,
          error: errorMessage(thrown),
        });
      }
    }
  }
}
