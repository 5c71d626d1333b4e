import type { Clock, Timer } from '../../shared/runtime/clock';
import {
  reviewAnswer,
  parseAdmissionReview,
  uidFromPrefix,
  uidPrefixBytes,
  type AdmissionRequest,
  type AdmissionReview,
} from './admission-review';
import type { PluginAnswer, PluginRun } from './admission-plugins';
import type { Reservation } from './in-flight';
import { jsonValues } from './json-values';
import type { ShedReason } from '../metrics';

export interface ReviewAnswer {
  readonly status: 200 | 400 | 408 | 413 | 503;
  /** JSON if the status is 200, otherwise text for people. */
  readonly body: Buffer;
  /** The body has not arrived in full, so the connection cannot be reused. */
  readonly early: boolean;
}

export interface ReviewExchangeOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Undefined if too many reviews are in flight. */
  readonly reservation: Reservation | undefined;
  readonly onShed: (reason: ShedReason) => void;
  readonly onAnswer: (answer: ReviewAnswer) => void;
  /** Runs the plugins; undefined if none wants the request. */
  readonly runPlugins: (request: AdmissionRequest) => PluginRun | undefined;
  /** Called after an answer that allows the write. */
  readonly onRequest: (request: AdmissionRequest) => void;
}

/** The new and the old object, each of the 3 MiB that the API server accepts, and the fields around them. */
export const maxBodyBytes = 7 * 1024 * 1024;

/**
 * Twice what ten thousand keys need, old and new, in the data and in managed fields. Parsing takes some 6 MB and ten
 * milliseconds of a core.
 */
export const maxReviewValues = 100_000;

/** The most that V8 takes for one value: its key, and its share of the table of keys. */
const bytesPerValue = 64;

const text = (message: string): Buffer => Buffer.from(`${message}\n`);

/** One call of a hook, from its head to its answer. It is answered once; whatever arrives after that is ignored. */
export class ReviewExchange {
  readonly #options: ReviewExchangeOptions;
  readonly #deadline: Timer;
  #reservation: Reservation | undefined;
  /** The whole body, or only its first bytes once the review is shed. */
  #chunks: Buffer[] = [];
  #received = 0;
  #settled = false;
  /** Set while a parsed review waits for its plugins. */
  #running: { readonly review: AdmissionReview; readonly answers: PluginRun } | undefined;

  constructor(options: ReviewExchangeOptions) {
    this.#options = options;
    this.#reservation = options.reservation;
    this.#deadline = options.clock.timer(options.deadlineMs, () => this.#expire());
    if (!this.#reservation) options.onShed('requests');
  }

  /** Takes the next bytes of the body. */
  push(chunk: Buffer): void {
    if (this.#settled) return;
    this.#received += chunk.length;
    if (this.#received > maxBodyBytes) {
      this.#answer({ status: 413, body: text(`a review has at most ${maxBodyBytes} bytes`), early: true });
      return;
    }
    if (this.#reservation && !this.#reservation.take(chunk.length)) {
      this.#options.onShed('bytes');
      this.#leave();
    }
    this.#chunks.push(chunk);
    if (!this.#reservation) this.#chunks = [this.#prefix()];
  }

  /** Call when the body is complete. */
  end(): void {
    if (this.#settled) return;
    if (!this.#reservation) {
      this.#answerUnread(false);
      return;
    }
    const [first = Buffer.alloc(0)] = this.#chunks;
    const body = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#received);
    const tooMuch = this.#whatIsFull(body, this.#reservation);
    if (tooMuch) {
      this.#options.onShed(tooMuch);
      this.#answerUnread(false);
      return;
    }
    const review = parseAdmissionReview(body);
    if (!review) {
      this.#answer({ status: 400, body: text('not an AdmissionReview of admission.k8s.io/v1'), early: false });
      return;
    }
    const answers = review.request && this.#options.runPlugins(review.request);
    if (!answers) {
      this.#say(review);
      return;
    }
    this.#chunks = [];
    this.#running = { review, answers };
    void answers.done.then(() => this.#sayGathered());
  }

  /** Why the body must not be parsed: even a small one may take seconds and hundreds of megabytes. */
  #whatIsFull(body: Buffer, reservation: Reservation): ShedReason | undefined {
    const values = jsonValues(body, maxReviewValues);
    if (values > maxReviewValues) return 'values';
    return reservation.take(values * bytesPerValue) ? undefined : 'bytes';
  }

  /** The caller has closed its connection: there is nobody to answer. */
  abort(): void {
    this.#settle();
  }

  /** Answers when all plugins are done, or at the deadline with what they have answered by then. */
  #sayGathered(): void {
    if (!this.#running) return;
    const { review, answers } = this.#running;
    this.#say(review, answers.take());
  }

  #say({ uid, request }: AdmissionReview, added?: PluginAnswer): void {
    this.#answer({ status: 200, body: reviewAnswer(uid, added), early: false });
    // A denied write changes nothing.
    if (request && !added?.denied) this.#options.onRequest(request);
  }

  #expire(): void {
    if (this.#running) {
      this.#sayGathered();
      return;
    }
    this.#options.onShed('deadline');
    this.#answerUnread(true);
  }

  /** The answer needs only the uid, which the API server writes first. */
  #answerUnread(early: boolean): void {
    const uid = uidFromPrefix(this.#prefix());
    if (uid !== undefined) this.#answer({ status: 200, body: reviewAnswer(uid), early });
    else if (early) this.#answer({ status: 408, body: text('the review did not arrive in time'), early });
    else this.#answer({ status: 503, body: text('too many reviews are in flight to read this one'), early });
  }

  #answer(answer: ReviewAnswer): void {
    this.#settle();
    this.#options.onAnswer(answer);
  }

  #settle(): void {
    this.#settled = true;
    this.#deadline.cancel();
    this.#leave();
    this.#chunks = [];
    this.#running = undefined;
  }

  #leave(): void {
    this.#reservation?.leave();
    this.#reservation = undefined;
  }

  /** A copy: a slice would keep the whole chunk in memory. */
  #prefix(): Buffer {
    return Buffer.from(Buffer.concat(this.#chunks).subarray(0, uidPrefixBytes));
  }
}
