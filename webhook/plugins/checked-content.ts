import { isUtf8 } from 'node:buffer';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { metadataFromJson } from '../../shared/kube/wire/object-metadata';
import { entriesFromJson } from '../../shared/kube/sources/source-decoder';

/** The content of a ConfigMap or Secret, as the checks need it. */
export interface CheckedContent {
  /** The size of all keys, including binary ones. */
  readonly bytes: number;
  readonly keys: ReadonlySet<string>;
  /** The bytes of each key that is not binary. */
  readonly texts: ReadonlyMap<string, Buffer>;
}

/** @throws MalformedObjectError on an object that no API server sends. */
export function checkedContent(kind: 'ConfigMap' | 'Secret', object: unknown): CheckedContent {
  const entries = [...entriesFromJson(kind, metadataFromJson(object), object)];
  const binary = objectOf(fieldAt(object, ['binaryData']));
  return {
    bytes: entries.reduce((sum, [, value]) => sum + value.length, 0),
    keys: new Set(entries.map(([key]) => key)),
    // A Secret has no separate field for binary data, so a key counts as text if it is UTF-8.
    texts: new Map(entries.filter(([key, value]) => !Object.hasOwn(binary, key) && isUtf8(value))),
  };
}
