/** What JSON.parse gives for an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze({});
const noItems: readonly unknown[] = Object.freeze([]);

/**
 * Readers for objects that the API server has not checked for us: custom resources keep any type in any field, and an
 * admission review can be forged. What has the wrong type counts as missing.
 */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems;
}

/** Undefined also for the empty string, which stands for "not set" in Kubernetes objects. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Follows field names; missing on the way is missing at the end. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((parent: unknown, field) => objectOf(parent)[field], value);
}

/** Whether two values of JSON are the same, in whatever order their fields stand. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]));
}

/** Neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
