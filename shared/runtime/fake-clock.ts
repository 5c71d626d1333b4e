import type { Clock, Timer } from './clock';

interface PendingTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that advances only on request: for tests. */
export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #order = 0;
  readonly #pending = new Set<PendingTimer>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = startMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  timer(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#pending.add(timer);
    return { cancel: () => this.#pending.delete(timer) };
  }

  /** Timers that are set and have not fired. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Moves only the wall clock, as NTP or an admin would. */
  jump(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** Runs the timers that are due within `byMs`, in order of time, and lets promises settle after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#monotonicMs + byMs;
    await this.settle();
    for (let next = this.#nextDue(untilMs); next; next = this.#nextDue(untilMs)) {
      this.#pending.delete(next);
      this.#moveTo(next.dueMs);
      next.callback();
      await this.settle();
    }
    this.#moveTo(untilMs);
  }

  /** Lets everything run that waits only for promises. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #nextDue(untilMs: number): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#pending) {
      if (timer.dueMs > untilMs) continue;
      if (!next || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) next = timer;
    }
    return next;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
