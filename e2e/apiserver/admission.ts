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
  /** For a CREATE: the uid that the object will get. Validating hooks see it in the object, mutating hooks do not. */
  readonly createdUid: string | undefined;
}

export interface AdmissionResponse {
  readonly allowed: boolean;
  /** RFC 6902, applied to the object before the next hook sees it. */
  readonly patch?: readonly JsonValue[];
  /** The reason for a denial. */
  readonly message?: string;
  /** Shown by kubectl. */
  readonly warnings?: readonly string[];
}

/** Called before each write, like a real server's webhook. It must not reject: it applies its own failurePolicy. */
export interface AdmissionHook {
  readonly name: string;
  review(request: AdmissionRequest): Promise<AdmissionResponse> | AdmissionResponse;
}

export type Admitted =
  | { readonly allowed: true; readonly object: JsonObject | null; readonly warnings: readonly string[] }
  | { readonly allowed: false; readonly message: string };

/** Runs the hooks in order, each on the object as the previous one patched it. The first denial ends the run. */
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
