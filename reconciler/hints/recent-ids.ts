import type { Clock } from '../../shared/runtime/clock';

/**
 * Enough for some tens of seconds of a flood. An id that is forgotten too early may count again. Ids are digests: a
 * megabyte in all.
 */
export const maxRecentIds = 10_000;

/** The ids of records that were taken, kept as long as a replayed record would still count as fresh. */
export class RecentIds {
  readonly #clock: Clock;
  readonly #keptMs: number;
  /** The time each was taken, oldest first. */
  readonly #taken = new Map<string, number>();

  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  has(id: string): boolean {
    const takenMs = this.#taken.get(id);
    return takenMs !== undefined && this.#clock.monotonicMs() - takenMs <= this.#keptMs;
  }

  add(id: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#taken.delete(id);
    this.#taken.set(id, nowMs);
    for (const [oldest, takenMs] of this.#taken) {
      if (this.#taken.size <= maxRecentIds && nowMs - takenMs <= this.#keptMs) return;
      this.#taken.delete(oldest);
    }
  }
}
