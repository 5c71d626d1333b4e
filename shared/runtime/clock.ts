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

/** Node fires longer delays at once (the delay has 31 bits). */
const maxDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer(delayMs, callback) {
    if (delayMs <= 0) {
      // A timeout of 0 takes a millisecond, a quarter of the time from a change to its restart.
      const handle = setImmediate(callback);
      return { cancel: () => clearImmediate(handle) };
    }
    const handle = setTimeout(callback, Math.min(delayMs, maxDelayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** A function, because the compiler assumes that a signal keeps its value across an await. */
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
