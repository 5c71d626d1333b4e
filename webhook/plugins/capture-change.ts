import { boundedChangeRecord, parseChangeRecord, type ChangeRecord } from '../../shared/domain/protocol/change-record';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import type { AdmissionRequest } from '../admission/admission-review';
import { fieldManagerOf } from '../admission/field-manager';
import { digestOf, writtenSource, type Content } from '../admission/written-source';

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
  const source = writtenSource(request, kind);
  const { namespace, name, uid, before, after } = source;
  if (!name || !uid) return 'unnamed';

  const changed = changedKeys(before, after);
  // To come into being without content is a change too: the source exists.
  if (request.operation === 'UPDATE' && Object.values(changed).every(({ length }) => length === 0)) return 'no_change';

  const { username = '' } = request.userInfo;
  const manager = fieldManagerOf(request);
  const record: ChangeRecord = {
    v: 1,
    id: request.uid,
    kind,
    namespace,
    name,
    uid,
    digest: digestOf(source, digester).whole(),
    keyId: digester.keyId,
    changed,
    user: username,
    ...(manager !== undefined && { manager }),
    observedAtMs: Math.floor(nowMs),
  };
  // Anyone who reaches the port can send a review: what a reconciler would refuse is not sent.
  return parseChangeRecord(boundedChangeRecord(record));
}

/** By the bytes: a digest of the old ones would be thrown away, and takes the most of the time. */
function changedKeys(before: Content, after: Content): ChangeRecord['changed'] {
  const isChanged = (key: string, value: Buffer): boolean => after.get(key)?.equals(value) === false;
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).sort(),
    changed: [...before].flatMap(([key, value]) => (isChanged(key, value) ? [key] : [])).sort(),
    removed: [...before.keys()].filter((key) => !after.has(key)).sort(),
  };
}
