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
