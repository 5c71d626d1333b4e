import { isArray, isObject, sameJson, type JsonValue } from './json';
import { isSetList, listKeys } from './list-keys';

/**
 * A set of fields in FieldsV1 notation: `f:name` for a field, `k:{"name":"app"}` for an item of a keyed list, `v:"x"`
 * for an item of a set, `.` for the map or item itself. An empty tree is a leaf: the same as `.` alone.
 */
export type FieldSet = { readonly [segment: string]: FieldSet };

const leaf: FieldSet = {};

/** Objects that are replaced as a whole (`x-kubernetes-map-type: atomic`). */
const atomicObjects: ReadonlySet<string> = new Set([
  'selector',
  'nodeSelector',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
]);

/** Required fields and structs. They are always present and so, unlike optional ones, have no `.` entry. */
const alwaysThere: ReadonlySet<string> = new Set([
  '',
  'metadata',
  'spec',
  'status',
  'template',
  'jobTemplate',
  'strategy',
  'updateStrategy',
  'containers',
]);

/** Every field that a value sets; `name` is the field that holds it. */
export function fieldsOf(value: JsonValue, name: string): FieldSet {
  const items = itemsOf(value, name);
  if (items === undefined) return leaf;
  const children = [...items].map(([segment, item]): [string, FieldSet] => [segment, fieldsOf(item.value, item.name)]);
  return written(Object.fromEntries(alwaysThere.has(name) ? children : [['.', leaf], ...children]));
}

/** The fields of `after` that are new or differ from `before`; undefined when there are none. */
export function changedFields(before: JsonValue, after: JsonValue, name: string): FieldSet | undefined {
  if (sameJson(before, after)) return undefined;
  const itemsBefore = itemsOf(before, name);
  const itemsAfter = itemsOf(after, name);
  if (itemsBefore === undefined || itemsAfter === undefined) return fieldsOf(after, name);
  const changed: Record<string, FieldSet> = {};
  for (const [segment, item] of itemsAfter) {
    const old = itemsBefore.get(segment);
    const fields =
      old === undefined ? fieldsOf(item.value, item.name) : changedFields(old.value, item.value, item.name);
    if (fields !== undefined) changed[segment] = fields;
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** The fields of `before` that `after` no longer has. Subtrees that are equal in both are skipped. */
export function removedFields(before: JsonValue, after: JsonValue, name: string): FieldSet {
  if (sameJson(before, after)) return leaf;
  const removed: Record<string, FieldSet> = {};
  const itemsAfter = itemsOf(after, name);
  for (const [segment, item] of itemsOf(before, name) ?? []) {
    const left = itemsAfter?.get(segment);
    if (left === undefined) removed[segment] = fieldsOf(item.value, item.name);
    else addUnlessEmpty(removed, segment, removedFields(item.value, left.value, item.name));
  }
  return removed;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = { ...left };
  for (const [segment, fields] of Object.entries(right)) {
    const own = left[segment];
    const both = own === undefined || segment === '.' ? fields : union(members(own), members(fields));
    result[segment] = written(both);
  }
  return result;
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [segment, fields] of Object.entries(left)) {
    const taken = right[segment];
    if (taken === undefined) result[segment] = fields;
    else if (segment !== '.') addUnlessEmpty(result, segment, difference(members(fields), members(taken)));
  }
  return result;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [segment, fields] of Object.entries(left)) {
    const other = right[segment];
    if (other === undefined) continue;
    if (segment === '.') result[segment] = leaf;
    else addUnlessEmpty(result, segment, intersection(members(fields), members(other)));
  }
  return result;
}

export function isEmptySet(fields: FieldSet): boolean {
  return Object.keys(fields).length === 0;
}

/** Every path of a set, as an apply conflict writes it: `.data.x`, `.spec.containers[name="app"].image`. */
export function pathsOf(fields: FieldSet, at = ''): readonly string[] {
  return Object.entries(fields).flatMap(([segment, inner]) =>
    segment === '.' ? [at] : pathsOf(members(inner), `${at}${pathSegment(segment)}`),
  );
}

function pathSegment(segment: string): string {
  const content = segment.slice(2);
  if (segment.startsWith('f:')) return `.${content}`;
  if (segment.startsWith('v:')) return `[=${content}]`;
  const keys = Object.entries(JSON.parse(content) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}

/** Spells out a leaf as `.`: the path itself and nothing below it. */
function members(fields: FieldSet): FieldSet {
  return isEmptySet(fields) ? { '.': leaf } : fields;
}

/** Adds a set in FieldsV1 form, unless it is empty. */
function addUnlessEmpty(result: Record<string, FieldSet>, segment: string, fields: FieldSet): void {
  if (isEmptySet(fields)) return;
  result[segment] = written(fields);
}

/** FieldsV1 form of a set: `.` alone becomes a leaf. */
function written(fields: FieldSet): FieldSet {
  const [first, ...rest] = Object.keys(fields);
  return first === '.' && rest.length === 0 ? leaf : fields;
}

/**
 * `value` without the fields of the set. A map or item that becomes empty goes too, if its `.` is in the set. So does an
 * item of a keyed list with what nobody owns of it, unless some of it is in `owned`.
 */
export function withoutFields(value: JsonValue, fields: FieldSet, name: string, owned = leaf): JsonValue {
  const items = itemsOf(value, name);
  if (items === undefined) return value;
  const kept: [FieldItem, JsonValue][] = [];
  for (const [segment, item] of items) {
    const gone = fields[segment];
    if (gone === undefined) {
      kept.push([item, item.value]);
      continue;
    }
    const ownedOfItem = owned[segment];
    if (segment.startsWith('k:') && members(gone)['.'] !== undefined && ownedOfItem === undefined) continue;
    const rest =
      itemsOf(item.value, item.name) === undefined
        ? {}
        : withoutFields(item.value, members(gone), item.name, ownedOfItem);
    const emptied = typeof rest === 'object' && rest !== null && Object.keys(rest).length === 0;
    if (!emptied || members(gone)['.'] === undefined) kept.push([item, rest]);
  }
  if (isArray(value)) return kept.map(([, item]) => item);
  return Object.fromEntries(kept.map(([{ key }, item]) => [key, item]));
}

/** Merges an applied configuration into an object as server-side apply does: list items are matched by their keys. */
export function mergeApplied(current: JsonValue | undefined, applied: JsonValue, name: string): JsonValue {
  const before = current === undefined ? undefined : itemsOf(current, name);
  const items = itemsOf(applied, name);
  if (before === undefined || items === undefined || isArray(current) !== isArray(applied)) return applied;
  const merged = new Map<string, FieldItem>(before);
  for (const [segment, item] of items) {
    merged.set(segment, { ...item, value: mergeApplied(before.get(segment)?.value, item.value, item.name) });
  }
  if (isArray(applied)) return [...merged.values()].map((item) => item.value);
  return Object.fromEntries([...merged.values()].map((item) => [item.key, item.value]));
}

interface FieldItem {
  /** The JSON key; empty for an item of a list. */
  readonly key: string;
  /** The `name` that {@link fieldsOf} gets for the child: {@link listItem} for an item of a list. */
  readonly name: string;
  readonly value: JsonValue;
}

/** The children of a value, by segment; undefined for a leaf. */
function itemsOf(value: JsonValue, name: string): ReadonlyMap<string, FieldItem> | undefined {
  if (isArray(value)) return listItems(value, name);
  if (!isObject(value) || atomicObjects.has(name)) return undefined;
  const items = new Map<string, FieldItem>();
  for (const [key, child] of Object.entries(value)) {
    if (child !== undefined && child !== null) items.set(`f:${key}`, { key, name: key, value: child });
  }
  return items.size === 0 && name !== '' ? undefined : items;
}

function listItems(list: readonly JsonValue[], name: string): ReadonlyMap<string, FieldItem> | undefined {
  const keys = listKeys(name)?.mapKeys;
  if (keys === undefined && !isSetList(name)) return undefined;
  return new Map(
    list.map((value): [string, FieldItem] => {
      if (keys === undefined) return [`v:${JSON.stringify(value)}`, { key: '', name: listItem, value }];
      const identity = Object.entries(keys).map(([key, fallback]) => [
        key,
        isObject(value) ? (value[key] ?? fallback) : fallback,
      ]);
      return [`k:${JSON.stringify(Object.fromEntries(identity))}`, { key: '', name: listItem, value }];
    }),
  );
}

/** Used as the field name of a list item. */
const listItem = '[]';
