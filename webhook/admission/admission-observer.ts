import type { AdmissionRequest } from './admission-review';

/**
 * One thing that admission does: a row of the table that the composition root hands to the handler. It runs when the
 * answer has been written, so that nothing it does can delay or change the write. What is to stand in the answer is an
 * AdmissionPlugin.
 */
export interface AdmissionObserver {
  readonly name: 'capture';
  /** Cheap, and never throws: asked of every review. */
  wants(request: AdmissionRequest): boolean;
  /** Must not wait for anything, and may keep nothing of the objects. What it throws is logged and counted. */
  run(request: AdmissionRequest): void;
}
