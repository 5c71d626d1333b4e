import { errorMessage } from '../shared/domain/errors';
import type { Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/logger';
import type { AdmissionDuty } from './admission-duty';
import type { AdmissionRequest } from './admission-review';
import type { Place } from './in-flight';
import type { WebhookMetrics } from './metrics';

export interface DutyQueueOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly duties: readonly AdmissionDuty[];
}

/** Reviews that arrive meanwhile wait no longer than this. */
const sliceMs = 2;

/**
 * Runs the duties of answered reviews, in turns between which others are answered. Its length is bounded by the places
 * that the requests hold until their duties are done.
 */
export class DutyQueue {
  readonly #options: DutyQueueOptions;
  #waiting: { readonly request: AdmissionRequest; readonly place: Place }[] = [];
  #scheduled = false;

  constructor(options: DutyQueueOptions) {
    this.#options = options;
  }

  /** Gives the place back when there is nothing more to do. */
  add(request: AdmissionRequest, place: Place): void {
    if (!this.#options.duties.some((duty) => duty.wants(request))) {
      place.leave();
      return;
    }
    this.#waiting.push({ request, place });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.clock.timer(0, () => this.#runSlice());
  }

  #runSlice(): void {
    this.#scheduled = false;
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + sliceMs;
    let done = 0;
    // Half of what waits is done in any case: with less, load would pile it up until there is no room for more.
    const least = this.#waiting.length / 2;
    for (const { request, place } of this.#waiting) {
      if (done > least && clock.monotonicMs() >= untilMs) break;
      this.#run(request);
      place.leave();
      done++;
    }
    this.#waiting = this.#waiting.slice(done);
    if (this.#waiting.length > 0) this.#schedule();
  }

  #run(request: AdmissionRequest): void {
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
