import type { Change } from './change';
import type { TrackedWorkload, WorkloadKey } from './workload-index';

interface Given {
  readonly baselineText: string;
  readonly changes: readonly Change[];
}

/** A write that is not stored within moments never is; far more than are on their way at once. */
const maxGiven = 1_000;

/**
 * Restarts that were put into writes of others, until a watch shows that such a write was stored. Memory only: what is
 * forgotten is told by `reroll.dev/last-restart` alone.
 */
export class GivenRestarts {
  readonly #given = new Map<WorkloadKey, Given>();

  give(key: WorkloadKey, given: Given): void {
    this.#given.delete(key);
    this.#given.set(key, given);
    const [oldest] = this.#given.keys();
    if (this.#given.size > maxGiven && oldest !== undefined) this.#given.delete(oldest);
  }

  /** The restart was written by ourselves, or is not owed any more. */
  forget(key: WorkloadKey): void {
    this.#given.delete(key);
  }

  /** What a restart answered that has come to the workload with a write; told once. */
  take({ key, record }: TrackedWorkload): readonly Change[] | undefined {
    const given = this.#given.get(key);
    if (given?.baselineText !== record.baselineText) return undefined;
    this.#given.delete(key);
    return given?.changes;
  }
}
