import { objectKey } from '../shared/domain/object-key';
import type { Decoder } from '../shared/kube/decoder';
import { metadataFromJson, requireIdentity } from '../shared/kube/object-metadata';

/** What is kept of a namespace; times by the API server's clock, whole seconds. */
export interface NamespaceRecord {
  readonly name: string;
  readonly createdAtMs: number;
  readonly writtenAtMs: number | undefined;
}

export const namespaceDecoder: Decoder<NamespaceRecord> = {
  accepts: 'json',
  fromJson: (object) => {
    const metadata = metadataFromJson(object);
    requireIdentity(metadata);
    const { name, uid, resourceVersion, createdAtMs = 0, writtenAtMs } = metadata;
    return { key: objectKey('', name), uid, resourceVersion, object: { name, createdAtMs, writtenAtMs } };
  },
};
