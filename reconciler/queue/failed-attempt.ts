import { KubeError } from '../../shared/kube/errors';
import type { QueueResult } from './key-queue';

/** The queue result of a failed attempt: try again, but no sooner than the API server asks. */
export function failedAttempt(error: unknown): QueueResult {
  const afterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
  return { kind: 'failed', ...(afterMs !== undefined && { afterMs }) };
}
