import { isArray, isObject, sameJson, stringAt, without, type JsonObject, type JsonValue } from './json';
import { badRequest, StatusError, unprocessablePatch } from './status';

/**
 * Applies a JSON patch (RFC 6902) and returns a changed copy.
 *
 * @throws StatusError 400 if it is not a patch; 422 if a `test` fails or a path does not resolve.
 */
export function applyJsonPatch(target: JsonObject, patch: JsonValue): JsonObject {
  if (!isArray(patch)) {
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  const result = patch.reduce<JsonValue>(applyOperation, target);
  if (!isObject(result)) throw unprocessablePatch();
  return result;
}

function applyOperation(document: JsonValue, operation: JsonValue): JsonValue {
  const op = stringAt(operation, 'op');
  const path = stringAt(operation, 'path');
  if (!isObject(operation) || op === undefined || path === undefined) {
    throw badRequest('error decoding patch: an operation needs op and path');
  }
  const value = operation['value'] ?? null;
  switch (op) {
    case 'add':
      return edit(document, pointer(path), { insert: value });
    case 'replace':
      read(document, pointer(path));
      return edit(document, pointer(path), { replace: value });
    case 'remove':
      read(document, pointer(path));
      return edit(document, pointer(path), 'remove');
    case 'test':
      if (!sameJson(readOrNull(document, pointer(path)), value)) throw unprocessablePatch();
      return document;
    case 'copy':
      return edit(document, pointer(path), { insert: read(document, pointer(stringAt(operation, 'from') ?? '')) });
    case 'move': {
      const from = pointer(stringAt(operation, 'from') ?? '');
      return edit(edit(document, from, 'remove'), pointer(path), { insert: read(document, from) });
    }
    default:
      throw badRequest(`error decoding patch: unknown operation ${op}`);
  }
}

type Edit = 'remove' | { readonly insert: JsonValue } | { readonly replace: JsonValue };

/** A copy of `node` with the edit made at the path. */
function edit(node: JsonValue, path: readonly string[], change: Edit): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return change === 'remove' ? null : 'insert' in change ? change.insert : change.replace;
  if (isArray(node)) return editArray(node, key, rest, change);
  if (!isObject(node)) throw unprocessablePatch();
  if (rest.length === 0 && change === 'remove') return without(node, key);
  const child = node[key];
  if (rest.length > 0 && child === undefined) throw unprocessablePatch();
  return { ...node, [key]: edit(child ?? null, rest, change) };
}

function editArray(
  node: readonly JsonValue[],
  key: string,
  rest: readonly string[],
  change: Edit,
): readonly JsonValue[] {
  const inserts = rest.length === 0 && typeof change === 'object' && 'insert' in change;
  const index = key === '-' && inserts ? node.length : Number(key);
  if (!Number.isSafeInteger(index) || index < 0 || index >= node.length + (inserts ? 1 : 0)) throw unprocessablePatch();
  if (inserts) return node.toSpliced(index, 0, change.insert);
  if (rest.length === 0 && change === 'remove') return node.toSpliced(index, 1);
  return node.with(index, edit(node[index] ?? null, rest, change));
}

function read(node: JsonValue, path: readonly string[]): JsonValue {
  let found: JsonValue | undefined = node;
  for (const key of path) found = isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined;
  if (found === undefined) throw unprocessablePatch();
  return found;
}

/** evanphx/json-patch, which the API server uses, treats a missing value as null in `test`. */
function readOrNull(node: JsonValue, path: readonly string[]): JsonValue {
  try {
    return read(node, path);
  } catch (error) {
    if (error instanceof StatusError) return null;
    throw error;
  }
}

/** Splits a JSON pointer (RFC 6901). */
function pointer(path: string): readonly string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw unprocessablePatch();
  return path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
