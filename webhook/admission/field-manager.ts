import { textOf } from '../../shared/domain/kubernetes/json-value';
import { managedFieldsOf } from '../../shared/domain/workloads/managed-fields';
import type { AdmissionRequest } from './admission-review';

/**
 * The field manager of a write: from the request, otherwise from the newest entry of managedFields, where the server
 * records it. That entry alone would mislead: a manager that wrote in the same second is as new.
 */
export function fieldManagerOf({ options, object }: AdmissionRequest): string | undefined {
  const stated = textOf(options?.fieldManager);
  if (stated !== undefined) return stated;
  let newest: { readonly manager: string; readonly timeMs: number } | undefined;
  for (const { manager, timeMs } of managedFieldsOf(object)) {
    if (manager !== undefined && timeMs !== undefined && timeMs >= (newest?.timeMs ?? 0)) newest = { manager, timeMs };
  }
  return newest?.manager;
}
