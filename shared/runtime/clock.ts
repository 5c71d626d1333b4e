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
const maxDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer(delayMs, callback) {
    if (delayMs <= 0) {
      // `setTimeout` with 0 takes a millisecond, which is a quarter of the time from a change to its restart.
      const handle = setImmediate(callback);
      return { cancel: () => clearImmediate(handle) };
    }
    const handle = setTimeout(callback, Math.min(delayMs, maxDelayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

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
