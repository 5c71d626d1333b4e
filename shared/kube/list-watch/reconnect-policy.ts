import type { Random } from '../../runtime/random';
import { backoffMs } from '../../runtime/random';
import type { KubeError } from '../errors';
import { ConnectionError, ForbiddenError, GoneError, NotFoundError, ProtocolError, TimeoutError } from '../errors';
import type { ReconnectReason } from '../observers';
import { maxRetryAfterMs } from '../client/retry-after';

const backoff = { baseMs: 500, maxMs: 30_000 };

/**
 * Delay for errors that only people fix, by granting a permission or installing an API. Frequent retries are useless.
 */
const slowMs = 30_000;

/**
 * Refusals that are retried quickly: an API server that has just started refuses all requests for some seconds, until
 * it has read roles and bindings.
 */
const quickRefusals = 5;

/**
 * The delay after a failed attempt. `attempt` counts consecutive unhealthy attempts from 0; refused ones are counted
 * separately. It is always jittered: all watchers of a cluster lose their streams at the same moment.
 */
export function reconnectDelayMs(error: KubeError | undefined, attempt: number, random: Random): number {
  if (error && isSlow(error) && attempt >= quickRefusals) return slowMs * (1 + random.float());
  const ownMs = backoffMs(random, attempt + 1, backoff);
  if (error?.retryAfterMs === undefined) return ownMs;
  return Math.max(ownMs, Math.min(error.retryAfterMs, maxRetryAfterMs) * (1 + random.float() / 4));
}

/** Whether an error is retried slowly after a few attempts, and reported once: nothing changes until somebody acts. */
export function isSlow(error: KubeError): boolean {
  return error instanceof ForbiddenError || error instanceof NotFoundError;
}

/**
 * Whether the watch may resume from its version. An error that concerns the version itself requires a new list: the
 * version is compacted (410), unknown or from before a restore (400, 504), or the bytes are unreadable.
 */
export function mayResume(error: KubeError): boolean {
  if (error instanceof ProtocolError) return false;
  // No answer: the error does not concern the version.
  if (error.status === undefined) return true;
  return [401, 403, 429].includes(error.status) || (error.status >= 500 && error.status !== 504);
}

export function reconnectReason(error: KubeError): ReconnectReason {
  if (error instanceof GoneError) return 'expired';
  if (error instanceof ProtocolError) return 'malformed';
  if (error instanceof ConnectionError || error instanceof TimeoutError) return 'connection';
  return 'refused';
}
