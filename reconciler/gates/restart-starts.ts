import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { LastRestart } from '../../shared/domain/workloads/last-restart';
import { clockSkewMs } from './rolling-workloads';

interface Start extends LastRestart {
  /** Set if the workload tells it. */
  readonly key?: WorkloadKey;
}

/**
 * When restarts began in the last period. What the workloads tell counts only of the time before this term, and once for
 * each: whoever writes a workload may write that Reroll has restarted it.
 */
export class RestartStarts {
  readonly #periodMs: number;
  /** The earliest first. */
  #starts: Start[] = [];
  readonly #tellers = new Set<WorkloadKey>();
  #termBeganMs = -Infinity;

  /** `periodMs`: 0 if nobody wants to know. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  begin(tracked: Iterable<TrackedWorkload>, nowMs: number): void {
    this.#termBeganMs = nowMs;
    this.#starts = [];
    this.#tellers.clear();
    for (const workload of tracked) this.saw(workload);
  }

  /** The index shows the workload. */
  saw({ key, record: { lastRestart } }: TrackedWorkload): void {
    if (this.#periodMs === 0 || !lastRestart) return;
    const { atMs } = lastRestart;
    if (atMs > this.#termBeganMs || atMs <= this.#termBeganMs - this.#periodMs) return;
    if (this.#tellers.has(key)) this.#starts = this.#starts.filter((start) => start.key !== key);
    this.#tellers.add(key);
    this.#insert({ ...lastRestart, key });
  }

  add(restart: LastRestart): void {
    if (this.#periodMs > 0) this.#insert(restart);
  }

  /** It did not begin. */
  remove({ id }: LastRestart): void {
    const index = this.#starts.findLastIndex((start) => start.id === id && start.key === undefined);
    if (index >= 0) this.#starts.splice(index, 1);
  }

  /** When the last one but `n - 1` began; undefined: there were less in the last period. */
  nthLastMs(n: number, nowMs: number): number | undefined {
    const sinceMs = nowMs - this.#periodMs;
    const first = this.#starts.findIndex(({ atMs }) => atMs > sinceMs);
    if (first !== 0) this.#starts = first < 0 ? [] : this.#starts.slice(first);
    // A clock that was set back must not keep others waiting until it has caught up.
    const next = this.#starts.findIndex(({ atMs }) => atMs > nowMs + clockSkewMs);
    if (next >= 0) this.#starts = this.#starts.slice(0, next);
    return this.#starts.at(-n)?.atMs;
  }

  /** Nearly all begin last. */
  #insert(start: Start): void {
    const index = this.#starts.findLastIndex(({ atMs }) => atMs <= start.atMs);
    this.#starts.splice(index + 1, 0, start);
  }
}
