import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { Decoder } from '../../shared/kube/wire/decoder';
import { metadataFromJson, requireIdentity } from '../../shared/kube/wire/object-metadata';

/** What is kept about a namespace. Times are by the API server's clock, in whole seconds. */
export interface NamespaceRecord {
  readonly name: string;
  readonly createdAtMs: number;
  readonly writtenAtMs: number | undefined;
  readonly isSelected: boolean;
}

export function namespaceDecoder(selector: Selector): Decoder<NamespaceRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const metadata = metadataFromJson(object);
      requireIdentity(metadata);
      const { name, uid, resourceVersion, createdAtMs = 0, writtenAtMs } = metadata;
      const isSelected = selector.matches(objectOf(fieldAt(object, ['metadata', 'labels'])));
      return { key: objectKey('', name), uid, resourceVersion, object: { name, createdAtMs, writtenAtMs, isSelected } };
    },
  };
}
