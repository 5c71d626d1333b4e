import { budgets } from '../../shared/domain/budgets';
import type { SourceId } from '../../shared/domain/sources/source';
import type { WorkloadSettings } from '../../shared/domain/workloads/workload-settings';
import type { Clock } from '../../shared/runtime/clock';

export interface SettleTimes {
  /** A quiet period of this length ends the window. */
  readonly settleMs: number;
  /** Maximum duration, counted from the first change. */
  readonly settleMaxMs: number;
}

/** The times of one workload: its own, or else the install's. */
export function settleTimesOf(settings: WorkloadSettings, defaults: SettleTimes): SettleTimes {
  return {
    settleMs: settings.settleMs ?? defaults.settleMs,
    settleMaxMs: settings.settleMaxMs ?? Math.max(defaults.settleMaxMs, settings.settleMs ?? 0),
  };
}

interface Window {
  firstMs: number | undefined;
  lastMs: number | undefined;
  readonly noticedMs: Map<SourceId, number>;
}

/** What a window covered; returned when it is closed. Times are of the monotonic clock. */
export interface Settled {
  /** When each source was first seen to change. */
  readonly noticedMs: ReadonlyMap<SourceId, number>;
  /** When the first source that counts changed; undefined: none did. */
  readonly firstMs: number | undefined;
  /** When the last one did. */
  readonly lastMs: number | undefined;
}

const noWindow: Settled = { noticedMs: new Map(), firstMs: undefined, lastMs: undefined };

/** When the sources had been quiet for long enough; undefined: none that counts had changed. */
export function settledAtMs(
  { firstMs, lastMs }: Pick<Settled, 'firstMs' | 'lastMs'>,
  { settleMs, settleMaxMs }: SettleTimes,
): number | undefined {
  if (firstMs === undefined || lastMs === undefined) return undefined;
  return Math.min(lastMs + settleMs, firstMs + settleMaxMs);
}

/**
 * Delays a workload's restart until its sources have been quiet for a while, so that ten edits, or an edit of ten
 * sources, cause one rollout. Memory only: after a crash, the next process still sees the difference.
 */
export class SettleWindows {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A source of the workload changed. */
  touch(key: string, source: SourceId): void {
    const window = this.#noticed(key, source);
    window.lastMs = this.#clock.monotonicMs();
    window.firstMs ??= window.lastMs;
  }

  /**
   * A source changed that does not count for the workload. That neither begins nor prolongs the wait: it could end the wait
   * for another source in the middle of a burst of edits, or hold its restart back.
   */
  notice(key: string, source: SourceId): void {
    this.#noticed(key, source);
  }

  #noticed(key: string, source: SourceId): Window {
    const window: Window = this.#windows.get(key) ?? { firstMs: undefined, lastMs: undefined, noticedMs: new Map() };
    // For log and traces only. With a pattern, a long window may see an unbounded number of names.
    const { noticedMs } = window;
    if (noticedMs.size < budgets.settledSources && !noticedMs.has(source)) {
      noticedMs.set(source, this.#clock.monotonicMs());
    }
    this.#windows.set(key, window);
    return window;
  }

  /** When the window was opened, by the monotonic clock; undefined if there is none. */
  openedMs(key: string): number | undefined {
    return this.#windows.get(key)?.firstMs;
  }

  /** Time left until the window ends; 0 if it has ended or there is none. */
  remainingMs(key: string, times: SettleTimes): number {
    const endMs = settledAtMs(this.#windows.get(key) ?? noWindow, times);
    return endMs === undefined ? 0 : Math.max(0, endMs - this.#clock.monotonicMs());
  }

  /**
   * Ends the window, because the workload is looked at or deleted. Sources that changed after `plannedMs` are not part of
   * what was planned then: they have a window of their own.
   */
  close(key: string, plannedMs = Infinity): Settled {
    const window = this.#windows.get(key) ?? noWindow;
    this.#windows.delete(key);
    const { firstMs, lastMs, noticedMs } = window;
    if (firstMs === undefined || lastMs === undefined || lastMs <= plannedMs) return window;
    const later = [...noticedMs].filter(([, atMs]) => atMs > plannedMs);
    this.#windows.set(key, { firstMs: lastMs, lastMs, noticedMs: new Map(later) });
    const isLater = firstMs > plannedMs;
    return { noticedMs, firstMs: isLater ? undefined : firstMs, lastMs: isLater ? undefined : plannedMs };
  }
}
