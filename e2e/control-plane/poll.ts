import { setTimeout as delay } from 'node:timers/promises';

/** How long to poll, and how often. */
export interface PollOptions {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Tries until an attempt returns a value; an attempt that throws counts as "not yet".
 *
 * @param what completes the sentence "timed out waiting for ...".
 * @throws Error with the last failure as its cause when the deadline passes.
 */
export async function pollUntil<T>(
  what: string,
  attempt: () => Promise<T | undefined>,
  options: PollOptions = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const deadlineMs = Date.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await attempt();
      if (value !== undefined) return value;
      lastError = undefined;
    } catch (error) {
      if (error instanceof NotWorthPolling) throw error;
      lastError = error;
    }
    if (Date.now() >= deadlineMs) {
      const reason = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}${reason}`, { cause: lastError });
    }
    await delay(options.intervalMs ?? 50);
  }
}

/** Thrown by an attempt to end the polling at once: what it waits for cannot happen any more. */
export class NotWorthPolling extends Error {
  override readonly name = 'NotWorthPolling';
}
