import { KeyHeap } from './key-heap';
import { maxRetryAfterMs } from '../../shared/kube/client/retry-after';
import { backoffMs, type BackoffOptions, type Random } from '../../shared/runtime/random';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { KubeError } from '../../shared/kube/errors';

/** The result of processing a key. */
export type QueueResult =
  /** Nothing is left to do for now. `isUntried`: what may have failed before was not tried again, so its backoff goes on. */
  | { readonly kind: 'done'; readonly isUntried?: true }
  /** Process again after a delay that is not a failure: a settle window, a rate limit. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly isUntried?: true }
  /**
   * Failed: process again with backoff. If the server asked for a delay, not before `afterMs`, unless the key is added
   * again.
   */
  | { readonly kind: 'failed'; readonly afterMs?: number };

export interface KeyQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many keys may be processed at once. */
  readonly concurrency: number;
  readonly backoff: BackoffOptions;
  /** Must not throw: a failure is part of the result. */
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
  /** When it was asked for, whatever its backoff. */
  readonly askedMs: number;
  readonly addedMs: number;
  /** How many keys were added before this one for the same reason. */
  readonly indexInChange: number;
  /** Set once the key is due. Keys with a lower tag run first. */
  startTag?: number | undefined;
}

interface Failures {
  /** Consecutive failures. */
  readonly count: number;
  /** Until this time the key is not processed, even if it is added again. */
  readonly backoffEndsMs: number;
}

/**
 * At least this share of the runs goes to the keys that have waited longest, however many arrive with a lower start
 * tag.
 */
const shareOfWaiting = 0.5;

/** How many stale entries a heap may have besides as many as keys wait. */
const staleKept = 64;

/**
 * A queue of keys, never of events. A key that is added ten times runs once, never twice at a time, and again if it was
 * added while it ran. Keys run when they are due, so none waits for the retries of another. A failing key is retried
 * forever, with backoff. Of the keys that are due, the first of one change runs before the hundredth of another.
 *
 * @see start-time fair queueing: P. Goyal, H. Vin, H. Cheng, SIGCOMM 1996; each change is a flow.
 */
export class KeyQueue {
  readonly #options: KeyQueueOptions;
  readonly #waiting = new Map<string, KeyState>();
  /** By due time. */
  #due = new KeyHeap();
  /** By start tag. */
  readonly #ready = new KeyHeap();
  /** The start tag of the last key that was started. */
  #startTag = 0;
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, Failures>();
  #timer: Timer | undefined;
  #timerDueMs = Infinity;
  #stopped = false;
  readonly #idleWaiters = new Set<() => void>();

  constructor(options: KeyQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait, without those that run. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Where a key is: it runs, or waits until it is due, by the monotonic clock; undefined: neither. */
  standing(key: string): 'running' | { readonly addedMs: number; readonly dueMs: number } | undefined {
    return this.#running.has(key) ? 'running' : this.#waiting.get(key);
  }

  /** Since when the key that has been due for the longest time could run, by the monotonic clock. */
  oldestDueMs(): number | undefined {
    let oldestMs: number | undefined;
    const nowMs = this.#options.clock.monotonicMs();
    for (const { dueMs } of this.#waiting.values()) {
      if (dueMs <= nowMs && dueMs < (oldestMs ?? Infinity)) oldestMs = dueMs;
    }
    return oldestMs;
  }

  /**
   * Processes `key` in `delayMs`, or when it is already due if that is earlier. After a failure, a key keeps its
   * backoff: a change of a workload is no reason to hammer a server that refuses it. But it does not wait as long as
   * the server asked for the refused write. `indexInChange` is the number of keys added before it for the same reason:
   * a change of many workloads must not delay one of few.
   */
  add(key: string, delayMs = 0, indexInChange = 0): void {
    if (this.#stopped) return;
    const nowMs = this.#options.clock.monotonicMs();
    const askedMs = nowMs + Math.max(0, delayMs);
    const dueMs = Math.max(askedMs, this.#failures.get(key)?.backoffEndsMs ?? 0);
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#options.observer?.added();
      this.#schedule(key, { dueMs, askedMs, addedMs: nowMs, indexInChange });
    } else if (dueMs < waiting.dueMs || askedMs < waiting.askedMs || indexInChange < waiting.indexInChange) {
      const { addedMs } = waiting;
      this.#schedule(key, {
        ...{ dueMs: Math.min(dueMs, waiting.dueMs), askedMs: Math.min(askedMs, waiting.askedMs), addedMs },
        indexInChange: Math.min(indexInChange, waiting.indexInChange),
      });
    }
  }

  /** Drops a waiting key. Called when its workload is deleted. */
  forget(key: string): void {
    this.#waiting.delete(key);
    this.#failures.delete(key);
    this.#options.observer?.depth(this.#waiting.size);
  }

  /** Resolves when no key runs or is due, after `maxMs` at the latest. For work that can wait until there is time. */
  async whenIdle(maxMs: number): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#idleWaiters.delete(end);
        resolve();
      };
      const timer = this.#options.clock.timer(maxMs, end);
      this.#idleWaiters.add(end);
    });
  }

  /** Starts nothing more and resolves when all running keys have finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#waiting.clear();
    if (this.#isIdle()) this.#wakeIdleWaiters();
    else await new Promise<void>((resolve) => this.#idleWaiters.add(resolve));
  }

  #isIdle(): boolean {
    const isDue = this.#ready.size > 0 || (this.#due.peek()?.rank ?? Infinity) <= this.#options.clock.monotonicMs();
    return this.#running.size === 0 && (this.#stopped || !isDue);
  }

  #tellIfIdle(): void {
    if (this.#idleWaiters.size > 0 && this.#isIdle()) this.#wakeIdleWaiters();
  }

  #wakeIdleWaiters(): void {
    for (const end of this.#idleWaiters) end();
  }

  #schedule(key: string, state: KeyState): void {
    this.#waiting.set(key, state);
    this.#due.push({ rank: state.dueMs, key });
    this.#dropStale();
    this.#options.observer?.depth(this.#waiting.size);
    this.#arm();
  }

  /**
   * A key that is rescheduled or forgotten leaves its entry behind until that would be due, which may be in an hour, and
   * anybody may change a source of it many times until then.
   */
  #dropStale(): void {
    if (this.#due.size <= 2 * this.#waiting.size + staleKept) return;
    this.#due = new KeyHeap();
    for (const [key, { dueMs, startTag }] of this.#waiting) {
      if (startTag === undefined) this.#due.push({ rank: dueMs, key });
    }
  }

  /** One timer for the earliest key. Keys that are due now use it too: `add` never runs anything itself. */
  #arm(): void {
    if (this.#stopped || this.#running.size >= this.#options.concurrency) return;
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = this.#ready.size > 0 ? nowMs : this.#due.peek()?.rank;
    if (dueMs === undefined || (this.#timer && this.#timerDueMs <= dueMs)) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = this.#options.clock.timer(dueMs - nowMs, () => {
      this.#timer = undefined;
      this.#startDue();
    });
  }

  #startDue(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#takeTurns(nowMs);
    while (!this.#stopped && this.#running.size < this.#options.concurrency) {
      const next = this.#ready.pop();
      if (!next) break;
      const state = this.#waiting.get(next.key);
      // A heap entry is stale if its key was rescheduled or forgotten.
      if (state?.startTag !== next.rank) continue;
      if (this.#running.has(next.key)) {
        // Still running. The end of that run puts the key back and needs its due time; until then it must not keep the
        // timer busy.
        state.startTag = undefined;
        continue;
      }
      this.#startTag = Math.max(this.#startTag + shareOfWaiting, next.rank);
      this.#waiting.delete(next.key);
      this.#options.observer?.depth(this.#waiting.size);
      this.#options.observer?.started(nowMs - state.addedMs);
      void this.#run(next.key, state.indexInChange);
    }
    // All that was due may have been forgotten, and then no run ends that would tell.
    this.#tellIfIdle();
    this.#arm();
  }

  /** Moves keys that are due to the ready heap. */
  #takeTurns(nowMs: number): void {
    for (let next = this.#due.peek(); next && next.rank <= nowMs; next = this.#due.peek()) {
      this.#due.pop();
      const state = this.#waiting.get(next.key);
      if (state?.dueMs !== next.rank) continue;
      state.startTag = this.#startTag + state.indexInChange;
      this.#ready.push({ rank: state.startTag, key: next.key });
    }
  }

  async #run(key: string, indexInChange: number): Promise<void> {
    this.#running.add(key);
    const result = await this.#options.process(key);
    this.#running.delete(key);
    if (!this.#stopped) {
      this.#reschedule(key, result, indexInChange);
      this.#arm();
    }
    this.#tellIfIdle();
  }

  #reschedule(key: string, result: QueueResult, formerIndex: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    const addedWhileRunning = this.#waiting.get(key);
    const addedMs = addedWhileRunning?.addedMs ?? nowMs;
    const indexInChange = addedWhileRunning?.indexInChange ?? formerIndex;
    // A backoff ends with a success, and so what was added during it waits only for the delay that it was added with.
    const isTried = result.kind !== 'failed' && !result.isUntried;
    const addedDueMs = isTried ? addedWhileRunning?.askedMs : addedWhileRunning?.dueMs;
    if (isTried) this.#failures.delete(key);
    switch (result.kind) {
      case 'done':
        if (addedDueMs !== undefined)
          this.#schedule(key, { dueMs: addedDueMs, askedMs: addedDueMs, addedMs, indexInChange });
        return;
      case 'again': {
        const dueMs = Math.min(nowMs + result.afterMs, addedDueMs ?? Infinity);
        this.#schedule(key, { dueMs, askedMs: dueMs, addedMs, indexInChange });
        return;
      }
      case 'failed': {
        const count = this.#failures.get(key)?.count ?? 0;
        const backoffEndsMs = nowMs + backoffMs(this.#options.random, count, this.#options.backoff);
        this.#failures.set(key, { count: count + 1, backoffEndsMs });
        this.#options.observer?.retried();
        const askedMs = nowMs + Math.min(result.afterMs ?? 0, maxRetryAfterMs);
        const dueMs = Math.max(backoffEndsMs, Math.min(askedMs, addedDueMs ?? Infinity));
        this.#schedule(key, { dueMs, askedMs: dueMs, addedMs, indexInChange });
        return;
      }
    }
  }
}

/** The result of two steps for one key. A failure counts first, then the earlier time; the first failure wins. */
export function sooner<Result extends QueueResult>(left: Result, right: Result): Result {
  if (left.kind === 'failed' || right.kind === 'done') return left;
  if (left.kind === 'done' || right.kind === 'failed') return right;
  return right.afterMs < left.afterMs ? right : left;
}

/** The result of a failed attempt: try again, but no sooner than the API server asks. */
export function failedAttempt(error: unknown): QueueResult {
  const afterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
  return { kind: 'failed', ...(afterMs !== undefined && { afterMs }) };
}
