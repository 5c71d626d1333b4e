import { isUtf8 } from 'node:buffer';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { metadataFromJson } from '../../shared/kube/wire/object-metadata';
import { entriesFromJson } from '../../shared/kube/sources/source-decoder';

/** What a ConfigMap or Secret holds, for its checks. */
export interface CheckedContent {
  /** Of all keys, binary ones among them. */
  readonly bytes: number;
  readonly keys: ReadonlySet<string>;
  /** The bytes of keys that are not binary. */
  readonly texts: ReadonlyMap<string, Buffer>;
}

/** @throws MalformedObjectError on what no API server sends. */
export function checkedContent(kind: 'ConfigMap' | 'Secret', object: unknown): CheckedContent {
  const entries = [...entriesFromJson(kind, metadataFromJson(object), object)];
  const binary = objectOf(fieldAt(object, ['binaryData']));
  return {
    bytes: entries.reduce((sum, [, value]) => sum + value.length, 0),
    keys: new Set(entries.map(([key]) => key)),
    // A Secret has no field of its own for what is no text.
    texts: new Map(entries.filter(([key, value]) => !Object.hasOwn(binary, key) && isUtf8(value))),
  };
}
