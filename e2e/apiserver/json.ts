/** JSON as the API server keeps it: shared between reads, so it is never changed in place. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The object at the path, or an empty one if there is none. */
export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : {};
}

/** The array at the path, or an empty one if there is none. */
export function arrayAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = valueAt(value, ...path);
  return isArray(found) ? found : [];
}

export function stringAt(value: JsonValue | undefined, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** A scalar as text; empty for anything else. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function valueAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let found = value;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return found;
}

/** A copy of `object` with the value at `path` set, or removed if it is undefined. Creates missing parents. */
export function withValueAt(object: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const next = rest.length === 0 ? value : withValueAt(objectAt(object, key), rest, value);
  return next === undefined ? without(object, key) : { ...object, [key]: next };
}

/** A copy without the keys. It is built up key by key: V8 stays slow with an object from which a key was deleted. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const copy: Record<string, JsonValue | undefined> = {};
  for (const key in object) if (!keys.includes(key)) copy[key] = object[key];
  return copy;
}

/** Structural equality. A key with an undefined value counts as absent. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (isArray(left)) {
    return isArray(right) && left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  for (const key in left) if (!sameJson(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/**
 * Drops keys whose value is null: for the API server's Go types, null is the same as absent. Most objects have no nulls
 * and are returned unchanged.
 */
export function withoutNulls(value: JsonObject): JsonObject {
  return hasNulls(value) ? cleaned(value) : value;
}

function hasNulls(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.some((item) => typeof item === 'object' && item !== null && hasNulls(item));
  if (!isObject(value)) return value === null || value === undefined;
  for (const key in value) if (hasNulls(value[key])) return true;
  return false;
}

function cleaned(value: JsonObject): JsonObject {
  const copy: Record<string, JsonValue> = {};
  for (const key in value) {
    const child = value[key];
    if (child !== null && child !== undefined) copy[key] = clean(child);
  }
  return copy;
}

function clean(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(clean);
  return isObject(value) ? cleaned(value) : value;
}

/** The order of names in etcd and in Go's encoded maps: by bytes, which for names equals by code units. */
export function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
