import { applyJsonPatch } from './json-patch';
import type { JsonObject, JsonValue } from './json';
import type { ResourceKind } from './resources';

/** The part of admission.k8s.io/v1 AdmissionRequest that a hook needs. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: ResourceKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly user: string;
  /** Field manager of the write. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  /** Of a CREATE: what the object's uid will be. Validating hooks see it in the object, mutating ones do not. */
  readonly createdUid: string | undefined;
}

export interface AdmissionResponse {
  readonly allowed: boolean;
  /** RFC 6902, applied to the object before the next hook sees it. */
  readonly patch?: readonly JsonValue[];
  /** Why not, when not allowed. */
  readonly message?: string;
  /** Shown by kubectl. */
  readonly warnings?: readonly string[];
}

/** A call-out before each write: what a webhook is to a real server. Rejecting is the hook's failurePolicy to handle. */
export interface AdmissionHook {
  readonly name: string;
  review(request: AdmissionRequest): Promise<AdmissionResponse> | AdmissionResponse;
}

export type Admitted =
  | { readonly allowed: true; readonly object: JsonObject | null; readonly warnings: readonly string[] }
  | { readonly allowed: false; readonly message: string };

/** Runs the hooks in order, each on what the one before made of the object. */
export async function admit(hooks: readonly AdmissionHook[], request: AdmissionRequest): Promise<Admitted> {
  let object = request.object;
  const warnings: string[] = [];
  for (const hook of hooks) {
    const response = await hook.review({ ...request, object });
    warnings.push(...(response.warnings ?? []));
    if (!response.allowed) {
      const because = response.message === undefined ? '' : `: ${response.message}`;
      return { allowed: false, message: `admission webhook "${hook.name}" denied the request${because}` };
    }
    if (response.patch !== undefined && object !== null) object = applyJsonPatch(object, response.patch);
  }
  return { allowed: true, object, warnings };
}
