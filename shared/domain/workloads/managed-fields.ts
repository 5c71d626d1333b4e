import { ownFieldManager } from '../annotations/annotations';
import { fieldAt, listOf, objectOf, textOf } from '../kubernetes/json-value';

/** An entry of `metadata.managedFields`: the API server's own record of who wrote, and when. */
export interface ManagedFieldsEntry {
  readonly manager: string | undefined;
  readonly operation: string | undefined;
  readonly subresource: string | undefined;
  /** Time of its last write that set a field, in whole seconds. A write that only removes fields updates no time. */
  readonly timeMs: number | undefined;
}

/** The entries, in the order of the object. */
export function managedFieldsOf(object: unknown): readonly ManagedFieldsEntry[] {
  return listOf(fieldAt(object, ['metadata', 'managedFields'])).map((entry) => {
    const { manager, operation, subresource, time } = objectOf(entry);
    const timeMs = Date.parse(textOf(time) ?? '');
    return {
      manager: textOf(manager),
      operation: textOf(operation),
      subresource: textOf(subresource),
      timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
    };
  });
}

/** Whether the manager has set the annotation, and nobody has set it to another value since. */
export function managesAnnotation(object: unknown, manager: string, annotation: string): boolean {
  return listOf(fieldAt(object, ['metadata', 'managedFields'])).some(
    (entry) =>
      objectOf(entry)['manager'] === manager &&
      fieldAt(entry, ['fieldsV1', 'f:metadata', 'f:annotations', `f:${annotation}`]) !== undefined,
  );
}

/**
 * These managers remove none of Reroll's annotations: they are Reroll itself, or only create, or, like every apply,
 * remove only what their own last manifest contained.
 */
const removingNothing = new Set([ownFieldManager, 'kubectl-create', 'kubectl-client-side-apply']);

/**
 * The field managers that may have removed an annotation of Reroll's, the last writer first. A removal leaves no trace
 * of its own: several managers cannot be told apart, and a manager that only removes is missing. A manager that applies
 * removes only what it has applied, and a manager that writes a status or a scale removes nothing.
 */
export function possibleRemovers(object: unknown): readonly string[] {
  const updates = managedFieldsOf(object)
    .filter(({ operation, subresource }) => operation === 'Update' && subresource === undefined)
    .toSorted((left, right) => (right.timeMs ?? 0) - (left.timeMs ?? 0));
  const managers = updates.flatMap(({ manager }) => manager ?? []);
  return [...new Set(managers)].filter((manager) => !removingNothing.has(manager));
}

/** The newest write of some fields of an object. */
export interface FieldsWrite {
  readonly manager: string;
  readonly timeMs: number;
  /** The names below those fields that the manager has set, and nobody else since: all that this write set are among them. */
  readonly names: readonly string[];
}

/**
 * The newest write that set something below one of these paths, such as `data`, in whole seconds. A write that only
 * removes leaves no time. A manager has one time for all its fields, so that write may have set another one of them.
 *
 * `without`: a manager whose writes do not count.
 */
export function newestWriteOf(
  object: unknown,
  paths: readonly (readonly string[])[],
  without?: string,
): FieldsWrite | undefined {
  const entries = listOf(fieldAt(object, ['metadata', 'managedFields']));
  const writes = managedFieldsOf(object).flatMap(({ manager, timeMs }, index): readonly FieldsWrite[] => {
    const set = paths.map((path) => fieldAt(entries[index], ['fieldsV1', ...path.map((field) => `f:${field}`)]));
    if (manager === undefined || manager === without || timeMs === undefined) return [];
    const names = set.flatMap((fields) => Object.keys(objectOf(fields))).filter((name) => name !== '.');
    return set.some(isPresent) ? [{ manager, timeMs, names: names.map((name) => name.replace(/^f:/, '')) }] : [];
  });
  return writes.toSorted((left, right) => right.timeMs - left.timeMs)[0];
}

const isPresent = (value: unknown): boolean => value !== undefined;
