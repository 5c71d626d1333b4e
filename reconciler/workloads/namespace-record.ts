import { annotationsOf, defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { readBearerGates } from '../../shared/domain/gate-settings/bearer-gates';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { Decoder } from '../../shared/kube/wire/decoder';
import { metadataFromJson, requireIdentity } from '../../shared/kube/wire/object-metadata';

/** What is kept about a namespace. Times are by the API server's clock, in whole seconds. */
export interface NamespaceRecord {
  readonly name: string;
  readonly version: string;
  readonly createdAtMs: number;
  readonly writtenAtMs: number | undefined;
  readonly isSelected: boolean;
  /** When its workloads may be restarted; undefined: it does not say. */
  readonly gates?: GateSettings;
}

export function namespaceDecoder(selector: Selector): Decoder<NamespaceRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const metadata = metadataFromJson(object);
      requireIdentity(metadata);
      const { name, uid, resourceVersion, createdAtMs = 0, writtenAtMs } = metadata;
      const isSelected = selector.matches(objectOf(fieldAt(object, ['metadata', 'labels'])));
      // Flags rename none of those that count on a namespace.
      const gates = readBearerGates(annotationsOf(object), 'namespace', defaultAnnotationKeys);
      const record = { name, version: resourceVersion, createdAtMs, writtenAtMs, isSelected, ...(gates && { gates }) };
      return { key: objectKey('', name), uid, resourceVersion, object: record };
    },
  };
}
