import { setTimeout as delay } from 'node:timers/promises';
import type { ReviewConnection } from './review-connection';
import type { ReviewRequests } from './review-requests';

/** As many idle connections as an API server keeps for one webhook. */
export const connectionCount = 25;

/**
 * Calls at a rate, whether or not earlier ones have been answered, at times drawn as arrivals are: a webhook that falls
 * behind gets no mercy. Resolves to the milliseconds that each call took from when it was due.
 */
export async function openLoop(
  connections: readonly ReviewConnection[],
  requests: ReviewRequests,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<readonly number[]> {
  const idle = [...connections];
  const waiting: ((connection: ReviewConnection) => void)[] = [];
  const tookMs: number[] = [];
  const call = async (dueMs: number): Promise<void> => {
    const connection = idle.pop() ?? (await new Promise<ReviewConnection>((resolve) => waiting.push(resolve)));
    await connection.call(requests.next());
    tookMs.push(performance.now() - dueMs);
    const next = waiting.shift();
    if (next) next(connection);
    else idle.push(connection);
  };

  const calls: Promise<void>[] = [];
  const startMs = performance.now();
  let dueMs = startMs;
  while (dueMs < startMs + seconds * 1000) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    calls.push(call(dueMs));
    dueMs += (-Math.log(1 - Math.random()) * 1000) / perSecond;
  }
  await Promise.all(calls);
  return tookMs;
}

/** Calls on each connection as soon as the last one was answered. Resolves to how many were answered in a second. */
export async function closedLoop(
  connections: readonly ReviewConnection[],
  requests: ReviewRequests,
  seconds: number,
): Promise<{ readonly reviews: number; readonly elapsedSeconds: number }> {
  const startMs = performance.now();
  const untilMs = startMs + seconds * 1000;
  let reviews = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < untilMs) {
        await connection.call(requests.next());
        reviews++;
      }
    }),
  );
  return { reviews, elapsedSeconds: (performance.now() - startMs) / 1000 };
}
