import { fieldAt, type JsonObject } from '../kubernetes/json-value';
import { textDigest } from '../sources/content-digest';
import type { WorkloadKind } from '../kubernetes/workload-kinds';

/** The {@link canonicalDigest} of a workload's pod template as the API server sends it. */
export function templateDigest({ templatePath }: WorkloadKind, object: unknown): string {
  return canonicalDigest(fieldAt(object, templatePath));
}

/**
 * The same for all values that Kubernetes treats as equal: the order of fields does not matter, and an empty field
 * equals a missing one.
 */
export function canonicalDigest(value: unknown): string {
  return textDigest(JSON.stringify(canonical(value) ?? null));
}

/** Fields sorted by name, empty ones removed; list items keep their order and number. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value as JsonObject).map(([name, field]) => [name, canonical(field)] as const);
  return Object.fromEntries(
    fields.filter(([, field]) => !isEmpty(field)).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
