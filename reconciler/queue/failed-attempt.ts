import { KubeError } from '../../shared/kube/errors';
import type { QueueResult } from './key-queue';

/** What the queue is told of an attempt that failed: to try again, and no sooner than the API server asks. */
export function failedAttempt(error: unknown): QueueResult {
  const afterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
  return { kind: 'failed', ...(afterMs !== undefined && { afterMs }) };
}
