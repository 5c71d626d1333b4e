import {
  changedFields,
  difference,
  fieldsOf,
  intersection,
  mergeApplied,
  pathsOf,
  union,
  withoutFields,
} from './field-set';
import { objectAt, stringAt, without, withoutNulls, type JsonObject } from './json';
import { asFields, type FieldManager, fieldsAfterApply, ownable, sameManager } from './managed-fields';
import type { KubeObject, ManagedFieldsEntry } from './objects';
import type { Candidate } from './registry';
import { StatusError } from './status';

/**
 * Server-side apply of `applied` to an object. It sets the applied fields, and removes those that this manager applied
 * before but not now, unless another manager owns them. The manager then owns exactly what it applied.
 *
 * It is basic: it knows atomic fields and keyed lists, but not unions and schemas of custom resources.
 *
 * @throws StatusError 409 when another manager owns a field that would change, unless `force`; 422 for another uid.
 */
export function applyConfiguration(
  current: KubeObject,
  applied: JsonObject,
  manager: string,
  options: ApplyOptions & { readonly force: boolean },
): Candidate {
  const writer: FieldManager = { manager, operation: 'Apply', subresource: options.subresource };
  const configuration = ownable(withoutNulls(applied), writer);
  const before = ownable(current, writer);
  const fields = fieldsOf(configuration, '');
  const entries = current.metadata.managedFields ?? [];
  const others = entries.filter((entry) => !sameManager(entry, writer));
  const previous = asFields(entries.find((entry) => sameManager(entry, writer)));

  const merged = mergeApplied(before, configuration, '');
  const taken = intersection(fields, changedFields(before, merged, '') ?? {});
  const contests = others.flatMap((owner) =>
    pathsOf(intersection(asFields(owner), taken)).map((path) => ({ owner, path })),
  );
  if (contests.length > 0 && !options.force) throw applyConflict(contests);

  const stillOwned = others.map(asFields).reduce(union, fields);
  const outcome = withoutFields(merged, difference(previous, stillOwned), '', stillOwned) as JsonObject;
  const serverMade = without(current.metadata, 'labels', 'annotations', 'finalizers', 'ownerReferences');
  const { uid, resourceVersion } = { ...current.metadata, ...objectAt(applied, 'metadata') };
  // An applied uid or resourceVersion is a precondition that the write checks. Validation comes between the two: it
  // follows the check of the resourceVersion, and precedes that of the uid.
  if (resourceVersion === current.metadata.resourceVersion && uid !== current.metadata.uid) {
    const name = `${stringAt(applied, 'kind') ?? ''} "${current.metadata.name}"`;
    const message = `${name} is invalid: metadata.uid: Invalid value: ${JSON.stringify(uid)}: field is immutable`;
    throw new StatusError(422, 'Invalid', message);
  }
  const metadata = { ...serverMade, ...objectAt(outcome, 'metadata'), uid, resourceVersion };
  return {
    object: { status: current['status'], ...outcome, metadata },
    managedFields: () => fieldsAfterApply(writer, entries, current.apiVersion, fields, taken, options.time),
  };
}

interface ApplyOptions {
  readonly time: string;
  readonly subresource: string | undefined;
}

/** The managedFields of an object that an apply creates. */
export function fieldsOfApplied(
  applied: JsonObject,
  manager: string,
  apiVersion: string,
  options: ApplyOptions,
): readonly ManagedFieldsEntry[] {
  const writer: FieldManager = { manager, operation: 'Apply', subresource: options.subresource };
  const fields = fieldsOf(ownable(withoutNulls(applied), writer), '');
  return fieldsAfterApply(writer, [], apiVersion, fields, {}, options.time);
}

interface Contest {
  readonly owner: ManagedFieldsEntry;
  readonly path: string;
}

function applyConflict(contests: readonly Contest[]): StatusError {
  const causes = contests.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeOwner(owner)}`,
    field: path,
  }));
  const [only, ...more] = contests;
  if (only !== undefined && more.length === 0) {
    const message = `Apply failed with 1 conflict: conflict with ${describeOwner(only.owner)}: ${only.path}`;
    return new StatusError(409, 'Conflict', message, { causes });
  }
  const owners = [...new Set(contests.map(({ owner }) => owner))].map((owner) => {
    const paths = contests.filter((contest) => contest.owner === owner).map(({ path }) => `- ${path}`);
    return [`conflicts with ${describeOwner(owner)}:`, ...paths].join('\n');
  });
  const message = `Apply failed with ${contests.length} conflicts: ${owners.join('\n')}`;
  return new StatusError(409, 'Conflict', message, { causes });
}

function describeOwner({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  if (operation === 'Apply') return `"${manager}"`;
  return subresource === undefined
    ? `"${manager}" using ${apiVersion}`
    : `"${manager}" with subresource "${subresource}" using ${apiVersion}`;
}
