import { changedFields, difference, type FieldSet, fieldsOf, isEmptySet, removedFields, union } from './field-set';
import { byCodeUnits, objectAt, sameJson, without, type JsonObject } from './json';
import type { KubeObject, ManagedFieldsEntry } from './objects';

/** Who writes, as a managedFields entry tells it. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry['operation'];
  readonly subresource: string | undefined;
  /** The kind has no status subresource: its status is a field like any other. */
  readonly plainStatus?: boolean;
}

/** What the server makes belongs to no manager. */
const serverMade = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
] as const;

/** Name of the manager of a request that gives none: the program in its User-Agent. */
export function managerOf(fieldManager: string | null, userAgent: string | undefined): string {
  if (fieldManager !== null && fieldManager !== '') return fieldManager;
  const program = (userAgent ?? '').split('/')[0] ?? '';
  return program === '' ? 'unknown' : program.slice(0, 128);
}

/**
 * The managedFields after an Update: the writer owns what it set or changed, nobody owns what is gone.
 *
 * The time of the writer's entry moves whenever it sets something, in whole seconds; the times of others stay, and what
 * only takes away leaves no time at all.
 */
export function fieldsAfterUpdate(
  writer: FieldManager,
  before: KubeObject | undefined,
  after: KubeObject,
  time: string,
): readonly ManagedFieldsEntry[] {
  const entries = before?.metadata.managedFields ?? [];
  const old = before === undefined ? {} : ownable(before, writer);
  const now = ownable(after, writer);
  const set = before === undefined ? fieldsOf(now, '') : changedFields(old, now, '');
  const removed = removedFields(old, now, '');
  if (set === undefined && isEmptySet(removed)) return entries;

  const own = entries.find((entry) => sameManager(entry, writer));
  const others = entries.filter((entry) => entry !== own);
  const ownFields = difference(union(asFields(own), set ?? {}), removed);
  const kept = others.map((entry) => {
    const fields = difference(difference(asFields(entry), removed), set ?? {});
    return sameJson(fields, entry.fieldsV1) ? entry : { ...entry, fieldsV1: fields };
  });
  const ownTime = set === undefined && own !== undefined ? own.time : time;
  return sorted([...kept, entryOf(writer, after.apiVersion, ownTime, ownFields)]);
}

/** The managedFields after an Apply: the applier owns exactly what it applied, and took it from Updates. */
export function fieldsAfterApply(
  writer: FieldManager,
  entries: readonly ManagedFieldsEntry[],
  apiVersion: string,
  applied: FieldSet,
  taken: FieldSet,
  time: string,
): readonly ManagedFieldsEntry[] {
  const own = entries.find((entry) => sameManager(entry, writer));
  const others = entries
    .filter((entry) => entry !== own)
    .map((entry) => ({ ...entry, fieldsV1: difference(asFields(entry), taken) }));
  if (own !== undefined && sameJson(own.fieldsV1, applied) && isEmptySet(taken)) return entries;
  return sorted([...others, entryOf(writer, apiVersion, time, applied)]);
}

/** An object without what no manager can own. */
export function ownable(object: JsonObject, writer: FieldManager): JsonObject {
  const metadata = objectAt(object, 'metadata');
  const rest = without(
    object,
    'apiVersion',
    'kind',
    'metadata',
    ...(writer.subresource === 'status' || writer.plainStatus === true ? [] : ['status']),
  );
  const own = without(metadata, ...serverMade);
  return Object.keys(own).length === 0 ? rest : { metadata: own, ...rest };
}

export function asFields(entry: ManagedFieldsEntry | undefined): FieldSet {
  return (entry?.fieldsV1 ?? {}) as FieldSet;
}

export function sameManager(entry: ManagedFieldsEntry, writer: FieldManager): boolean {
  return (
    entry.manager === writer.manager && entry.operation === writer.operation && entry.subresource === writer.subresource
  );
}

function entryOf(writer: FieldManager, apiVersion: string, time: string, fieldsV1: FieldSet): ManagedFieldsEntry {
  const subresource = writer.subresource === undefined ? {} : { subresource: writer.subresource };
  const { manager, operation } = writer;
  return { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1, ...subresource };
}

/** As apimachinery sorts: by operation, time, manager. */
function sorted(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  return entries
    .filter((entry) => !isEmptySet(asFields(entry)))
    .sort(
      (left, right) =>
        byCodeUnits(left.operation, right.operation) ||
        byCodeUnits(left.time, right.time) ||
        byCodeUnits(left.manager, right.manager),
    );
}
