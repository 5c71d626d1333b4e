import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { Clock } from '../../shared/runtime/clock';

/** Since when workloads might have restarted, and did not: it fails again and again, or they are not looked at. */
export class MissedTurns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #deadlineMs: number;
  readonly #sinceMs = new Map<WorkloadKey, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, deadlineMs: number) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  missed(key: WorkloadKey): void {
    if (!this.#sinceMs.has(key)) this.#sinceMs.set(key, this.#clock.monotonicMs());
  }

  /** Whatever it is that fails, the others do not wait for longer than they would for its rollout. */
  isStuck(key: WorkloadKey): boolean {
    return this.#clock.monotonicMs() - (this.#sinceMs.get(key) ?? Infinity) >= this.#deadlineMs;
  }

  forget(key: WorkloadKey): void {
    this.#sinceMs.delete(key);
  }

  clear(): void {
    this.#sinceMs.clear();
  }
}
