import { boundedChangeRecord, parseChangeRecord, type ChangeRecord } from '../shared/domain/change-record';
import { absent, type ContentDigest, type ContentDigester } from '../shared/domain/content-digest';
import { fieldAt, listOf, objectOf, textOf } from '../shared/domain/json-value';
import { metadataFromJson } from '../shared/kube/object-metadata';
import { entriesFromJson } from '../shared/kube/source-decoder';
import type { AdmissionRequest } from './admission-review';

type CapturedKind = ChangeRecord['kind'];

/** The kind of source that a request writes; undefined where it writes none. */
export function capturedKind({ kind, operation, subResource }: AdmissionRequest): CapturedKind | undefined {
  if (kind.group !== '' || kind.version !== 'v1' || (subResource ?? '') !== '') return undefined;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  return kind.kind === 'ConfigMap' || kind.kind === 'Secret' ? kind.kind : undefined;
}

/**
 * What a write changes in a source, as a record without a single value. `no_change` where contents stay as they are;
 * `unnamed` where the server has yet to give name or uid, as it has when a mutating hook sees a CREATE.
 *
 * @throws MalformedObjectError or ChangeRecordError on a review that no API server sends.
 */
export function captureChange(
  request: AdmissionRequest,
  kind: CapturedKind,
  digester: ContentDigester,
  nowMs: number,
): ChangeRecord | 'no_change' | 'unnamed' {
  const metadata = metadataFromJson(request.object);
  const namespace = request.namespace ?? metadata.namespace;
  const name = metadata.name || request.name;
  // A PUT need not tell the uid.
  const uid = metadata.uid || textOf(fieldAt(request.oldObject, ['metadata', 'uid']));
  if (!name || !uid) return 'unnamed';

  const digest = (object: unknown): ContentDigest =>
    digester.digest(kind, namespace, name, entriesFromJson(kind, metadata, object));
  const before = digest(request.oldObject);
  const after = digest(request.object);
  // To come into being without content is a change too: the source exists.
  if (request.operation === 'UPDATE' && before.equals(after)) return 'no_change';

  const { username = '', groups } = request.userInfo;
  const manager = fieldManagerOf(request);
  const record: ChangeRecord = {
    v: 1,
    id: request.uid,
    kind,
    namespace,
    name,
    uid,
    digest: after.whole(),
    keyId: digester.keyId,
    changed: changedKeys(before, after),
    user: username,
    ...(groups && { groups }),
    ...(manager !== undefined && { manager }),
    observedAtMs: Math.floor(nowMs),
  };
  // Anyone who reaches the port can send a review: what a reconciler would refuse is not sent.
  return parseChangeRecord(boundedChangeRecord(record));
}

function changedKeys(before: ContentDigest, after: ContentDigest): ChangeRecord['changed'] {
  const differing = before.differingKeys(after);
  return {
    added: differing.filter((key) => before.key(key) === absent),
    changed: differing.filter((key) => before.key(key) !== absent && after.key(key) !== absent),
    removed: differing.filter((key) => after.key(key) === absent),
  };
}

/**
 * Who writes: what the request says, otherwise what the server made of it, which stands in the newest entry of
 * managedFields. That entry alone would mislead: a manager that wrote in the same second is as new.
 */
function fieldManagerOf({ options, object }: AdmissionRequest): string | undefined {
  const stated = textOf(options?.fieldManager);
  if (stated !== undefined) return stated;
  let newest: { readonly manager: string; readonly timeMs: number } | undefined;
  for (const entry of listOf(fieldAt(object, ['metadata', 'managedFields']))) {
    const manager = textOf(objectOf(entry)['manager']);
    const timeMs = Date.parse(textOf(objectOf(entry)['time']) ?? '');
    if (manager !== undefined && timeMs >= (newest?.timeMs ?? 0)) newest = { manager, timeMs };
  }
  return newest?.manager;
}
