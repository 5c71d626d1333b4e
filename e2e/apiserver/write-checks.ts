import { type JsonObject, objectAt, stringAt } from './json';
import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';
import { badRequest, conflict, deleteConflict, invalid } from './status';
import { validate } from './validation';

/** Preconditions that a DELETE can set for the object. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** @throws StatusError 422 if validation fails. */
export function requireValid(kind: ResourceKind, object: KubeObject, previous: KubeObject | undefined): void {
  const causes = validate(kind, object, previous);
  if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
}

/** @throws StatusError 400 if body and path name different namespaces. */
export function checkNamespace(namespace: string | undefined, metadata: JsonObject): void {
  const given = stringAt(metadata, 'namespace') ?? '';
  if (given === '' || given === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/**
 * The metadata that an update asks for, after checking that the update is meant for the current object and version.
 *
 * @throws StatusError 400, 409 or 422 if it is not.
 */
export function checkedMetadata(
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  current: KubeObject,
  candidate: JsonObject,
): JsonObject {
  const metadata = objectAt(candidate, 'metadata');
  checkNamespace(namespace, metadata);
  const given = stringAt(metadata, 'name') ?? name;
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const { uid, resourceVersion } = current.metadata;
  const expectedUid = stringAt(metadata, 'uid') ?? '';
  if (expectedUid !== '' && expectedUid !== uid) {
    const because = `Precondition failed: UID in precondition: ${expectedUid}, UID in object meta: ${uid}`;
    throw conflict(kind, name, because);
  }
  const expected = stringAt(metadata, 'resourceVersion') ?? '';
  if (expected !== '' && expected !== resourceVersion) throw conflict(kind, name);
  if (expected === '' && !kind.unconditionalUpdate) {
    const message = 'Invalid value: 0: must be specified for an update';
    throw invalid(kind, name, [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }]);
  }
  return { ...metadata, uid };
}

/** @throws StatusError 409 if the object's uid or resourceVersion is not the one that the caller expects. */
export function checkDeletePreconditions(kind: ResourceKind, { metadata }: KubeObject, wanted: Preconditions): void {
  const { uid, resourceVersion } = metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid) throw deleteConflict(kind, metadata.name, 'UID', wanted.uid, uid);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw deleteConflict(kind, metadata.name, 'ResourceVersion', wanted.resourceVersion, resourceVersion);
  }
}
