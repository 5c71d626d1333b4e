import type { Clock } from '../../shared/runtime/clock';

/** Some tens of seconds of a flood; what is forgotten sooner may count again. Ids are digests: a megabyte in all. */
export const maxRecentIds = 10_000;

/** The ids of the records that were taken, for as long as one of them may come again and still pass for fresh. */
export class RecentIds {
  readonly #clock: Clock;
  readonly #keptMs: number;
  /** By when they were taken, oldest first. */
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
