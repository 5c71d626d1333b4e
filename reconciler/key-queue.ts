import { DueHeap } from './due-heap';
import { backoffMs, type BackoffOptions, type Random } from '../shared/runtime/random';
import type { Clock, Timer } from '../shared/runtime/clock';

/** What a run of a key came to. */
export type QueueResult =
  /** Nothing is left to do for now. */
  | { readonly kind: 'done' }
  /** Look again after a delay that is not a failure: a settle window, a pace. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Failed: look again with backoff, and not before `afterMs` where the server asked for that. */
  | { readonly kind: 'failed'; readonly afterMs?: number };

export interface KeyQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Keys that may run at once. */
  readonly concurrency: number;
  readonly backoff: BackoffOptions;
  /** Must not throw: what goes wrong is its result. */
  readonly process: (key: string) => Promise<QueueResult>;
  readonly observer?: KeyQueueObserver;
}

export interface KeyQueueObserver {
  depth(keys: number): void;
  added(): void;
  started(waitedMs: number): void;
  retried(): void;
}

interface KeyState {
  dueMs: number;
  readonly addedMs: number;
}

/**
 * A queue of keys, never of events: a key that is added ten times runs once, never twice at a time, and again if it was
 * added while it ran. Keys run in the order in which they fall due, so none waits for the retries of another; a failing
 * key is tried for ever, ever more rarely.
 */
export class KeyQueue {
  readonly #options: KeyQueueOptions;
  readonly #waiting = new Map<string, KeyState>();
  readonly #due = new DueHeap();
  readonly #running = new Set<string>();
  /** Failures in a row, by key. */
  readonly #failures = new Map<string, number>();
  #timer: Timer | undefined;
  #timerDueMs = Infinity;
  #stopped = false;
  #idle: (() => void) | undefined;

  constructor(options: KeyQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait, those that run not counted. */
  get depth(): number {
    return this.#waiting.size;
  }

  /**
   * Asks that `key` be looked at in `delayMs`, or earlier if it is due earlier. A key that waits after a failure keeps
   * its time: news of a workload is no reason to hammer a server that refuses it.
   */
  add(key: string, delayMs = 0): void {
    if (this.#stopped) return;
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = nowMs + Math.max(0, delayMs);
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#options.observer?.added();
      this.#schedule(key, { dueMs, addedMs: nowMs });
    } else if (dueMs < waiting.dueMs && !this.#failures.has(key)) {
      this.#schedule(key, { dueMs, addedMs: waiting.addedMs });
    }
  }

  /** Drops a key that waits: its workload is gone. */
  forget(key: string): void {
    this.#waiting.delete(key);
    this.#failures.delete(key);
    this.#options.observer?.depth(this.#waiting.size);
  }

  /** Starts nothing more and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#waiting.clear();
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  #schedule(key: string, state: KeyState): void {
    this.#waiting.set(key, state);
    this.#due.push({ dueMs: state.dueMs, key });
    this.#options.observer?.depth(this.#waiting.size);
    this.#arm();
  }

  /** One timer for the earliest key. Also what is due now goes through it: `add` never runs anything itself. */
  #arm(): void {
    const next = this.#due.peek();
    if (this.#stopped || next === undefined || this.#running.size >= this.#options.concurrency) return;
    if (this.#timer && this.#timerDueMs <= next.dueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = next.dueMs;
    this.#timer = this.#options.clock.timer(next.dueMs - this.#options.clock.monotonicMs(), () => {
      this.#timer = undefined;
      this.#startDue();
    });
  }

  #startDue(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const blocked: string[] = [];
    while (!this.#stopped && this.#running.size < this.#options.concurrency) {
      const next = this.#due.peek();
      if (next === undefined || next.dueMs > nowMs) break;
      this.#due.pop();
      const state = this.#waiting.get(next.key);
      // A heap entry is stale when its key was re-scheduled or forgotten.
      if (state?.dueMs !== next.dueMs) continue;
      if (this.#running.has(next.key)) {
        blocked.push(next.key);
        continue;
      }
      this.#waiting.delete(next.key);
      this.#options.observer?.depth(this.#waiting.size);
      this.#options.observer?.started(nowMs - state.addedMs);
      void this.#run(next.key);
    }
    // Keys that run are put back by their own end; until then they must not keep the timer busy.
    for (const key of blocked) {
      const state = this.#waiting.get(key);
      if (state) state.dueMs = Infinity;
    }
    this.#arm();
  }

  async #run(key: string): Promise<void> {
    this.#running.add(key);
    const result = await this.#options.process(key);
    this.#running.delete(key);
    if (this.#stopped) {
      if (this.#running.size === 0) this.#idle?.();
      return;
    }
    this.#reschedule(key, result);
    this.#arm();
  }

  #reschedule(key: string, result: QueueResult): void {
    const nowMs = this.#options.clock.monotonicMs();
    const addedWhileRunning = this.#waiting.get(key);
    const addedMs = addedWhileRunning?.addedMs ?? nowMs;
    switch (result.kind) {
      case 'done':
        this.#failures.delete(key);
        if (addedWhileRunning) this.#schedule(key, { dueMs: Math.min(nowMs, addedWhileRunning.dueMs), addedMs });
        return;
      case 'again': {
        this.#failures.delete(key);
        const dueMs = Math.min(nowMs + result.afterMs, addedWhileRunning?.dueMs ?? Infinity);
        this.#schedule(key, { dueMs, addedMs });
        return;
      }
      case 'failed': {
        const failures = this.#failures.get(key) ?? 0;
        this.#failures.set(key, failures + 1);
        this.#options.observer?.retried();
        const delayMs = Math.max(backoffMs(this.#options.random, failures, this.#options.backoff), result.afterMs ?? 0);
        this.#schedule(key, { dueMs: nowMs + delayMs, addedMs });
        return;
      }
    }
  }
}
