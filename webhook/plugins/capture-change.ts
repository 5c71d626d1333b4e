import { boundedChangeRecord, parseChangeRecord, type ChangeRecord } from '../../shared/domain/protocol/change-record';
import { changeId } from '../../shared/domain/sources/change-id';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { type AdmissionRequest, fieldManagerOf } from '../admission/admission-review';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { digestOf, writtenSource, type Content } from '../admission/written-source';

type CapturedKind = ChangeRecord['kind'];

/** The kind of source that a request writes; undefined if it writes none. */
export function capturedKind({ kind, operation, subResource }: AdmissionRequest): CapturedKind | undefined {
  if (kind.group !== '' || kind.version !== 'v1' || (subResource ?? '') !== '') return undefined;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  return kind.kind === 'ConfigMap' || kind.kind === 'Secret' ? kind.kind : undefined;
}

/**
 * Describes the change of a source as a record without values. `no_change` if the content is the same; `unnamed` if the
 * server has not generated name or uid yet, as when a mutating hook sees a CREATE.
 * @throws MalformedObjectError or ChangeRecordError on a review that no API server sends.
 */
export function captureChange(
  request: AdmissionRequest,
  kind: CapturedKind,
  digester: ContentDigester,
  nowMs: number,
): ChangeRecord | 'no_change' | 'unnamed' {
  const source = writtenSource(request, kind);
  const { namespace, name, uid, before, after } = source;
  if (!name || !uid) return 'unnamed';

  const changed = changedKeys(before, after);
  // Creating a source without content is a change too: it now exists.
  if (request.operation === 'UPDATE' && Object.values(changed).every(({ length }) => length === 0)) return 'no_change';

  const { username = '' } = request.userInfo;
  const replaces = textOf(fieldAt(request.oldObject, ['metadata', 'resourceVersion']));
  const manager = fieldManagerOf(request);
  const digest = digestOf(source, digester).whole();
  const record: ChangeRecord = {
    v: 1,
    id: request.uid,
    kind,
    namespace,
    name,
    uid,
    digest,
    keyId: digester.keyId,
    changed,
    user: username,
    ...(manager !== undefined && { manager }),
    observedAtMs: Math.floor(nowMs),
    ...(replaces !== undefined && { replaces }),
    change: changeId(uid, digest),
  };
  // A review can be forged, so a record that a reconciler would reject is not sent.
  return parseChangeRecord(boundedChangeRecord(record));
}

/** Compares the bytes: a digest of the old ones would be used for nothing else, and takes most of the time. */
function changedKeys(before: Content, after: Content): ChangeRecord['changed'] {
  const isChanged = (key: string, value: Buffer): boolean => after.get(key)?.equals(value) === false;
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).sort(),
    changed: [...before].flatMap(([key, value]) => (isChanged(key, value) ? [key] : [])).sort(),
    removed: [...before.keys()].filter((key) => !after.has(key)).sort(),
  };
}
