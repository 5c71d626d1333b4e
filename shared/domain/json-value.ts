/** What JSON.parse gives for an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze({});
const noItems: readonly unknown[] = Object.freeze([]);

/**
 * Readers for objects that the API server has not checked for us: custom resources keep any type in any field, and an
 * admission review can be forged. What has the wrong type counts as missing.
 */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : nothing;
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
