import type { AnnotationKeys } from '../shared/domain/annotations';
import { objectKey } from '../shared/domain/object-key';
import type { PolicySettings } from '../shared/domain/policy';
import { readWorkload, type WorkloadRecord } from '../shared/domain/workload';
import type { WorkloadKind } from '../shared/domain/workload-kinds';
import type { Decoder } from '../shared/kube/decoder';

/** Workloads come as JSON: a template is walked field by field, not hashed. */
export function workloadDecoder(
  kind: WorkloadKind,
  keys: AnnotationKeys,
  policy: PolicySettings,
): Decoder<WorkloadRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const record = readWorkload(kind, object, keys, policy);
      const { uid, resourceVersion } = record;
      return { key: objectKey(record.namespace, record.name), uid, resourceVersion, object: record };
    },
  };
}
