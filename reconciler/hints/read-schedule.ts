import type { Clock, Timer } from '../../shared/runtime/clock';
import { KeyHeap } from '../queue/key-heap';

/** However many hints arrive, the API server gets no more requests than this. */
const maxConcurrent = 8;
const perSecond = 20;

export interface ScheduledRead {
  cancel(): void;
}

/** Starts reads when they are due, the longest overdue first, within limits of rate and concurrency. */
export class ReadSchedule {
  readonly #clock: Clock;
  readonly #due = new KeyHeap();
  /** Reads that were not cancelled; the heap may contain more. */
  readonly #reads = new Map<string, () => Promise<void>>();
  #order = 0;
  #running = 0;
  #nextStartMs = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Scheduled reads, including cancelled ones that are not due yet. */
  get size(): number {
    return this.#due.size;
  }

  /** `read` never rejects. */
  add(delayMs: number, read: () => Promise<void>): ScheduledRead {
    const key = String(this.#order++);
    this.#reads.set(key, read);
    this.#due.push({ rank: this.#clock.monotonicMs() + delayMs, key });
    this.#arm();
    return { cancel: () => void this.#reads.delete(key) };
  }

  /** Running reads continue; no new ones start. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer?.cancel();
    const next = this.#due.peek();
    if (!next || this.#stopped || this.#running >= maxConcurrent) return;
    const startMs = Math.max(next.rank, this.#nextStartMs);
    this.#timer = this.#clock.timer(startMs - this.#clock.monotonicMs(), () => this.#startNext());
  }

  #startNext(): void {
    const key = this.#due.pop()?.key ?? '';
    const read = this.#reads.get(key);
    // A cancelled read must not count towards the rate.
    if (read) {
      this.#reads.delete(key);
      this.#nextStartMs = this.#clock.monotonicMs() + 1000 / perSecond;
      this.#running++;
      void read().finally(() => {
        this.#running--;
        this.#arm();
      });
    }
    this.#arm();
  }
}
