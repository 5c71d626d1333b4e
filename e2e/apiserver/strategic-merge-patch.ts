import { isArray, isObject, sameJson, stringAt, textOf, without, type JsonObject, type JsonValue } from './json';
import { isSetList, listKeys } from './list-keys';
import { badRequest } from './status';

const patchDirective = '$patch';
const retainKeys = '$retainKeys';
const elementOrder = '$setElementOrder/';
const deleteFromList = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch as k8s.io/apimachinery's `strategicpatch` does for built-in kinds, and returns a
 * changed copy. Lists with a merge key merge item by item, `finalizers` merge as a set, all other lists are replaced.
 *
 * @throws StatusError 400 for an item without its merge key or an unknown `$patch`.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  switch (patch[patchDirective]) {
    case 'replace':
      return withoutDirectives(patch);
    case 'delete':
      return {};
    case undefined:
    case 'merge':
      return mergeObjects(target, patch);
    default:
      throw badRequest(`Unknown $patch type: ${textOf(patch[patchDirective])}`);
  }
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...retained(target, patch[retainKeys]) };
  for (const [field, value] of Object.entries(patch)) {
    if (field === patchDirective || field === retainKeys || value === undefined) continue;
    if (field.startsWith(elementOrder)) {
      const list = field.slice(elementOrder.length);
      // If the patch also has the list, the order is applied there. Alone, it only sorts.
      if (patch[list] === undefined && merged[list] !== undefined)
        merged[list] = mergeLists(list, merged[list], [], value);
    } else if (field.startsWith(deleteFromList)) {
      const list = field.slice(deleteFromList.length);
      merged[list] = toArray(merged[list]).filter((item) => !toArray(value).some((gone) => sameJson(gone, item)));
    } else if (value === null) {
      Reflect.deleteProperty(merged, field);
    } else if (isObject(value)) {
      const current = merged[field];
      merged[field] = applyStrategicMergePatch(isObject(current) ? current : {}, value);
    } else if (isArray(value) && (listKeys(field) !== undefined || isSetList(field))) {
      merged[field] = mergeLists(field, merged[field], value, patch[`${elementOrder}${field}`]);
    } else {
      merged[field] = value;
    }
  }
  return merged;
}

function mergeLists(
  field: string,
  current: JsonValue | undefined,
  patch: readonly JsonValue[],
  order: JsonValue | undefined,
): readonly JsonValue[] {
  const key = listKeys(field)?.patchMergeKey;
  const server = toArray(current);
  if (key === undefined) return ordered([...new Set([...server, ...patch])], order ?? patch, server, (item) => item);

  const identity = (item: JsonValue): JsonValue => {
    const value = isObject(item) ? item[key] : undefined;
    if (value === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    return value;
  };
  const elements = patch.filter(isObject);
  if (elements.some((element) => element[patchDirective] === 'replace' && element[key] === undefined)) {
    return elements.filter((element) => element[patchDirective] === undefined);
  }
  let merged = server;
  for (const element of elements) {
    const index = merged.findIndex((item) => sameJson(identity(item), identity(element)));
    const present = merged[index];
    if (stringAt(element, patchDirective) === 'delete') merged = merged.filter((_, position) => position !== index);
    else if (isObject(present)) merged = merged.with(index, applyStrategicMergePatch(present, element));
    else merged = [...merged, applyStrategicMergePatch({}, element)];
  }
  return ordered(merged, order ?? elements.map(identity), server, (item) =>
    isObject(item) ? (item[key] ?? item) : item,
  );
}

/**
 * Sorts as `normalizeElementOrder` does: the patch's items keep the patch's order, and items that only the server has
 * are merged in by their old position. So an item new to the server comes before those that the patch does not name.
 */
function ordered(
  items: readonly JsonValue[],
  order: JsonValue | undefined,
  server: readonly JsonValue[],
  identity: (item: JsonValue) => JsonValue,
): readonly JsonValue[] {
  const wanted = toArray(order).map(identity);
  const place = (list: readonly JsonValue[], item: JsonValue): number =>
    list.findIndex((candidate) => sameJson(candidate, identity(item)));
  const serverOrder = server.map(identity);
  const named = items.filter((item) => place(wanted, item) >= 0);
  const serverOnly = items.filter((item) => place(wanted, item) < 0);
  named.sort((left, right) => place(wanted, left) - place(wanted, right));

  const result: JsonValue[] = [];
  for (const item of named) {
    const position = place(serverOrder, item);
    let next = serverOnly[0];
    while (position >= 0 && next !== undefined && place(serverOrder, next) < position) {
      result.push(next);
      serverOnly.shift();
      next = serverOnly[0];
    }
    result.push(item);
  }
  return [...result, ...serverOnly];
}

function retained(target: JsonObject, keys: JsonValue | undefined): JsonObject {
  if (!isArray(keys)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return without(patch, patchDirective, retainKeys);
}

function toArray(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}
