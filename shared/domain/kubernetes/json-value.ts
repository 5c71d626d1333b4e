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

/** The texts in a list. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** Follows field names; undefined if one of them is missing. */
export function fieldAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const field of path) found = objectOf(found)[field];
  return found;
}

/** A number behind field names: the API omits fields that are 0. */
export function numberAt(value: unknown, path: readonly string[]): number {
  const found = fieldAt(value, path);
  return typeof found === 'number' ? found : 0;
}

/** Undefined if a text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
