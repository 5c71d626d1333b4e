import type { Clock } from '../../shared/runtime/clock';

/**
 * A first start on a large cluster records thousands of baselines. This rate leaves room for restarts, which have
 * priority.
 */
const adoptionsPerSecond = 100;

const firstRestoreDelayMs = 1_000;
const maxRestoreDelayMs = 60 * 60_000;

/**
 * Limits how often baselines are written without a restart. All adoptions share one rate. If something keeps removing
 * the baseline of a workload, Reroll restores it less and less often: an operator that owns the annotations must not be
 * drawn into an endless fight, and Reroll still remembers the baseline in memory.
 */
export class AdoptionRateLimiter {
  readonly #clock: Clock;
  #nextMs = 0;
  /** Each waiting key has a turn of its own. If all asked again at every turn, n keys would ask n² times. */
  readonly #turns = new Map<string, number>();
  readonly #restores = new Map<string, { count: number; lastMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the key's turn and returns 0, or returns how long to wait for it. `restore`: the baseline was lost. */
  take(key: string, restore: boolean): number {
    const nowMs = this.#clock.monotonicMs();
    const restoreMs = restore ? this.#restoreMs(key) : nowMs;
    if (restoreMs > nowMs) return restoreMs - nowMs;
    const turnMs = this.#turnMs(key, nowMs);
    if (turnMs > nowMs) return turnMs - nowMs;
    this.#turns.delete(key);
    return 0;
  }

  /** A lost baseline is stored again. An attempt that failed says nothing about whoever removes it. */
  restored(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const restored = this.#restores.get(key);
    const peaceful = restored === undefined || nowMs - restored.lastMs > 2 * maxRestoreDelayMs;
    this.#restores.set(key, { count: peaceful ? 0 : Math.min(restored.count + 1, 30), lastMs: nowMs });
  }

  forget(key: string): void {
    this.#turns.delete(key);
    this.#restores.delete(key);
  }

  #turnMs(key: string, nowMs: number): number {
    const assigned = this.#turns.get(key);
    if (assigned !== undefined) return assigned;
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + 1_000 / adoptionsPerSecond;
    this.#turns.set(key, turnMs);
    return turnMs;
  }

  #restoreMs(key: string): number {
    const restored = this.#restores.get(key);
    if (!restored) return 0;
    return restored.lastMs + Math.min(maxRestoreDelayMs, firstRestoreDelayMs * 2 ** restored.count);
  }
}
