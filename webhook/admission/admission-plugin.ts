import type { AdmissionRequest } from './admission-review';
import type { ReviewPath } from '../metrics';

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** What a plugin adds to the answer. Without `denied`, the write is allowed. */
export interface PluginAnswer {
  /** One line each, the most important first. */
  readonly warnings?: readonly string[];
  /**
   * Only for a mutating hook. It must apply to the object in the request: otherwise the API server rejects the write,
   * whatever the failure policy.
   */
  readonly patch?: readonly JsonPatchOperation[];
  /** Denies the write. If several plugins deny it, the first one is reported. */
  readonly denied?: { readonly message: string; readonly reason: 'Invalid'; readonly code: 422 };
}

/**
 * Adds warnings, a patch or a denial to the answer. The write waits for it until the deadline of the review. A plugin that
 * fails or is late adds nothing.
 */
export interface AdmissionPlugin {
  readonly name: 'content-check' | 'lint' | 'preview' | 'source-size' | 'workload';
  /** Called for every review, so it must be cheap. */
  wants(request: AdmissionRequest, path: ReviewPath): boolean;
  /** Must not keep the objects. An error is logged and counted. */
  answer(request: AdmissionRequest): Promise<PluginAnswer>;
}
