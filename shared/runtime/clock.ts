/** The source of time and timers. It is passed in, so that a test or a simulation controls it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump. */
  nowMs(): number;
  /** Never goes backwards: for durations, deadlines and leases. */
  monotonicMs(): number;
  /** Calls back once after `delayMs`, unless cancelled. */
  timer(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Node fires timers with longer delays at once, because it stores the delay in 31 bits. */
export const maxDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer(delayMs, callback) {
    if (delayMs <= 0) {
      // `setTimeout` with 0 takes a millisecond, which is a quarter of the time from a change to its restart.
      const handle = setImmediate(callback);
      return { cancel: () => clearImmediate(handle) };
    }
    return longTimer(nodeTimer, delayMs, callback);
  },
};

function nodeTimer(delayMs: number, callback: () => void): Timer {
  const handle = setTimeout(callback, delayMs);
  return { cancel: () => clearTimeout(handle) };
}

/** A timer of any length, from several in turn: `short` takes at most {@link maxDelayMs}. */
export function longTimer(short: Clock['timer'], delayMs: number, callback: () => void): Timer {
  if (delayMs > maxDelayMs) {
    let current = short(maxDelayMs, () => (current = longTimer(short, delayMs - maxDelayMs, callback)));
    return { cancel: () => current.cancel() };
  }
  return short(delayMs, callback);
}

/**
 * Whether `signal` is aborted. It is a function, because the compiler assumes that `aborted` stays the same across an
 * await.
 */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Waits; returns early, without error, when `signal` is aborted. */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.timer(delayMs, done);
    signal?.addEventListener('abort', done);
  });
}
