import type { Clock } from '../../shared/runtime/clock';

/** A clock whose timers fire at once. */
export const promptClock: Clock = {
  nowMs: () => Date.UTC(2026, 0, 1),
  monotonicMs: () => 0,
  timer: (_delayMs, callback) => {
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) callback();
    });
    return { cancel: () => (isCancelled = true) };
  },
};
