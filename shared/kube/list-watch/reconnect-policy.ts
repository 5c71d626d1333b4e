import type { Random } from '../../runtime/random';
import { backoffMs } from '../../runtime/random';
import type { KubeError } from '../errors';
import { ConnectionError, ForbiddenError, GoneError, NotFoundError, ProtocolError, TimeoutError } from '../errors';
import type { ReconnectReason } from '../observers';
import { maxRetryAfterMs } from '../client/retry-after';

const backoff = { baseMs: 500, maxMs: 30_000 };

/** Rights and APIs are granted and installed by people. */
const slowMs = 30_000;

/** An API server that has just started refuses everything for some seconds, until it has read who has which rights. */
const quickRefusals = 5;

/**
 * How long to wait after an attempt that failed. `attempt` counts from 0 the attempts in a row that were not healthy, those
 * that were refused by themselves.
 * Always jittered: all watchers of a cluster lose their streams at the same moment.
 */
export function reconnectDelayMs(error: KubeError | undefined, attempt: number, random: Random): number {
  if (error && isSlow(error) && attempt >= quickRefusals) return slowMs * (1 + random.float());
  const ownMs = backoffMs(random, attempt + 1, backoff);
  if (error?.retryAfterMs === undefined) return ownMs;
  return Math.max(ownMs, Math.min(error.retryAfterMs, maxRetryAfterMs) * (1 + random.float() / 4));
}

/** Soon retried slowly, and reported once: nothing changes before somebody does something. */
export function isSlow(error: KubeError): boolean {
  return error instanceof ForbiddenError || error instanceof NotFoundError;
}

/**
 * Whether the watch may go on from where it was. Whatever the server says against the version itself needs a new list:
 * compacted (410), unknown or from before a restore (400, 504), or bytes of which nobody knows what they said.
 */
export function mayResume(error: KubeError): boolean {
  if (error instanceof ProtocolError) return false;
  // No answer: nothing was said about the version.
  if (error.status === undefined) return true;
  return [401, 403, 429].includes(error.status) || (error.status >= 500 && error.status !== 504);
}

export function reconnectReason(error: KubeError): ReconnectReason {
  if (error instanceof GoneError) return 'expired';
  if (error instanceof ProtocolError) return 'malformed';
  if (error instanceof ConnectionError || error instanceof TimeoutError) return 'connection';
  return 'refused';
}
