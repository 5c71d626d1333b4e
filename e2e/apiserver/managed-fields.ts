import { changedFields, difference, type FieldSet, fieldsOf, isEmptySet, removedFields, union } from './field-set';
import { byCodeUnits, objectAt, sameJson, without, type JsonObject } from './json';
import type { KubeObject, ManagedFieldsEntry } from './objects';

/** A writer, as a managedFields entry identifies it. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry['operation'];
  readonly subresource: string | undefined;
  /** The kind has no status subresource: its status is a field like any other. */
  readonly plainStatus?: boolean;
}

/** Metadata that the server sets. No manager owns it. */
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

/** The name of a request's field manager: `fieldManager` if given, otherwise the program in the User-Agent. */
export function managerOf(fieldManager: string | null, userAgent: string | undefined): string {
  if (fieldManager !== null && fieldManager !== '') return fieldManager;
  const program = (userAgent ?? '').split('/')[0] ?? '';
  return program === '' ? 'unknown' : program.slice(0, 128);
}

/**
 * The managedFields after an Update: the writer owns the fields it set or changed, and nobody owns removed fields.
 *
 * The time of the writer's entry, in whole seconds, changes whenever the writer sets a field. The times of other
 * entries stay, and a write that only removes fields leaves no time.
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

/** The managedFields after an Apply: the applier owns exactly what it applied. Others lose the `taken` fields. */
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

/** The part of an object that managers can own. */
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

/** Drops empty entries and sorts the rest as apimachinery does: by operation, time, manager. */
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
