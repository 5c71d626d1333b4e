import type { AdmissionRequest } from './admission-review';

/**
 * Runs after the answer has been written, so it can neither delay nor change the write. An AdmissionPlugin adds to the
 * answer.
 */
export interface AdmissionObserver {
  readonly name: 'capture';
  /** Called for every review, so it must be cheap. It never throws. */
  wants(request: AdmissionRequest): boolean;
  /** Must not wait, and must not keep the objects. An error is logged and counted. */
  run(request: AdmissionRequest): void;
}
