import { isObject, type JsonObject, type JsonValue } from './json';

/** Applies a JSON merge patch (RFC 7396) and returns a changed copy: null deletes, a list replaces. */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else if (isObject(value)) merged[key] = applyMergePatch(asObject(merged[key]), value);
    else if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
