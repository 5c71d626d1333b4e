/** The type of an object parsed by JSON.parse. */
export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze({});
const noItems: readonly unknown[] = Object.freeze([]);

/**
 * Readers for objects that no API server has validated for us: custom resources may keep any type in any field, and an
 * admission review can be forged. A value of the wrong type counts as missing.
 */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems;
}

/** Undefined also for the empty string, which means "not set" in Kubernetes objects. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Follows field names; undefined if one of them is missing. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const field of path) found = objectOf(found)[field];
  return found;
}

/** Whether two JSON values are equal, whatever the order of their fields. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]));
}

/** True for objects, but not for lists or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
