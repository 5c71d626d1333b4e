import type { AdmissionRequest } from './admission-review';
import type { ReviewPath } from '../metrics';

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** What a duty adds to an answer, which allows the write unless it says otherwise. */
export interface PluginAnswer {
  /** Each one line; in the order in which they matter. */
  readonly warnings?: readonly string[];
  /**
   * For a mutating hook alone. It must apply to the object of the request: a patch that does not makes the API server
   * refuse the write, whatever the failure policy.
   */
  readonly patch?: readonly JsonPatchOperation[];
  /** The write is not to be; of several refusals the first is told. */
  readonly denied?: { readonly message: string; readonly reason: 'Invalid'; readonly code: 422 };
}

/**
 * One thing that admission says in its answer, a row of a table as AdmissionObserver is. The write waits for it: it is given
 * no longer than the review has, and what fails or is late adds nothing.
 */
export interface AdmissionPlugin {
  readonly name: 'content-check' | 'lint' | 'preview' | 'source-size' | 'workload';
  /** Cheap: asked of every review. */
  wants(request: AdmissionRequest, path: ReviewPath): boolean;
  /** May keep nothing of the objects. What it throws is logged and counted. */
  answer(request: AdmissionRequest): Promise<PluginAnswer>;
}
