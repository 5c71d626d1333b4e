import { KubeError, ServerError } from '../../shared/kube/errors';
import { MarkerLostError } from './patch-workload';
import { StaleWorkloadError } from './read-again';
import { NotLeadingError } from './restart';

/** Whether the write of a restart that ended with this error may have been stored, with all that it changes. */
export function mayBeStored(error: unknown): boolean {
  const isUnsent = error instanceof NotLeadingError || error instanceof StaleWorkloadError;
  const isAnswered = error instanceof KubeError && error.status !== undefined && error.status < 500;
  const isUnadmitted = error instanceof ServerError && error.isOfWebhook;
  return !isUnsent && !isAnswered && !isUnadmitted && !(error instanceof MarkerLostError);
}
