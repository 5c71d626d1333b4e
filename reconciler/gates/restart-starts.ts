import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { LastRestart } from '../../shared/domain/workloads/last-restart';
import { clockSkewMs } from './rolling-workloads';

interface Start extends LastRestart {
  readonly namespace: string;
  /** Set if the workload tells it. */
  readonly key?: WorkloadKey;
}

/** For how many periods the starts of a namespace count in its share. */
export const sharedPeriods = 2;

/**
 * When restarts began in the last periods. What the workloads tell counts only of the time before this term, and once for
 * each: whoever writes a workload may write that Reroll has restarted it.
 */
export class RestartStarts {
  readonly #periodMs: number;
  /** The earliest first. */
  #starts: Start[] = [];
  readonly #inNamespace = new Map<string, number>();
  readonly #tellers = new Set<WorkloadKey>();
  #termBeganMs = -Infinity;

  /** `periodMs`: 0 if nobody wants to know. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  begin(tracked: Iterable<TrackedWorkload>, nowMs: number): void {
    this.#termBeganMs = nowMs;
    this.#starts = [];
    this.#inNamespace.clear();
    this.#tellers.clear();
    for (const workload of tracked) this.saw(workload);
  }

  /** The index shows the workload. */
  saw({ key, record: { namespace, lastRestart } }: TrackedWorkload): void {
    if (this.#periodMs === 0 || !lastRestart) return;
    const { atMs } = lastRestart;
    if (atMs > this.#termBeganMs || atMs <= this.#termBeganMs - sharedPeriods * this.#periodMs) return;
    const told = this.#tellers.has(key) ? this.#starts.findIndex((start) => start.key === key) : -1;
    if (told >= 0) this.#drop(told, 1);
    this.#tellers.add(key);
    this.#insert({ ...lastRestart, namespace, key });
  }

  add(restart: LastRestart, namespace: string): void {
    if (this.#periodMs > 0) this.#insert({ ...restart, namespace });
  }

  /** It did not begin. */
  remove({ id }: LastRestart): void {
    const index = this.#starts.findLastIndex((start) => start.id === id && start.key === undefined);
    if (index >= 0) this.#drop(index, 1);
  }

  /** How many of a namespace began in the last {@link sharedPeriods}, as of the last {@link expire}. */
  inNamespace(namespace: string): number {
    return this.#inNamespace.get(namespace) ?? 0;
  }

  /** When the last one but `n - 1` began; undefined: there were less in the last period. */
  nthLastMs(n: number, nowMs: number): number | undefined {
    this.expire(nowMs);
    const atMs = this.#starts.at(-n)?.atMs;
    return atMs !== undefined && atMs > nowMs - this.#periodMs ? atMs : undefined;
  }

  /** Those before the last {@link sharedPeriods} count no more. */
  expire(nowMs: number): void {
    const sinceMs = nowMs - sharedPeriods * this.#periodMs;
    const first = this.#starts.findIndex(({ atMs }) => atMs > sinceMs);
    this.#drop(0, first < 0 ? this.#starts.length : first);
    // A clock that was set back must not keep others waiting until it has caught up.
    const last = this.#starts.findLastIndex(({ atMs }) => atMs <= nowMs + clockSkewMs);
    this.#drop(last + 1, this.#starts.length);
  }

  /** Nearly all begin last. */
  #insert(start: Start): void {
    const index = this.#starts.findLastIndex(({ atMs }) => atMs <= start.atMs);
    this.#starts.splice(index + 1, 0, start);
    this.#inNamespace.set(start.namespace, this.inNamespace(start.namespace) + 1);
  }

  #drop(from: number, count: number): void {
    for (const { namespace } of this.#starts.splice(from, count)) {
      const left = this.inNamespace(namespace) - 1;
      if (left > 0) this.#inNamespace.set(namespace, left);
      else this.#inNamespace.delete(namespace);
    }
  }
}
