import type { Clock } from './clock';

/** A map that forgets: an entry expires `keptMs` after it was set, and the oldest entries make room for new ones. */
export class RecentMap<Value> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: { readonly keptMs: number; readonly maxEntries: number };
  /** Oldest first. */
  readonly #entries = new Map<string, { readonly value: Value; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: { readonly keptMs: number; readonly maxEntries: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#clock.monotonicMs() - entry.atMs < this.#limits.keptMs ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    const nowMs = this.#clock.monotonicMs();
    this.#entries.delete(key);
    this.#entries.set(key, { value, atMs: nowMs });
    for (const [oldest, { atMs }] of this.#entries) {
      if (this.#entries.size <= this.#limits.maxEntries && nowMs - atMs < this.#limits.keptMs) return;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
