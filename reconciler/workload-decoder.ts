import { objectKey } from '../shared/domain/object-key';
import type { WorkloadRecord } from '../shared/domain/workload';
import type { Decoder } from '../shared/kube/decoder';

/** Workloads come as JSON: a template is walked field by field, not hashed. */
export function workloadDecoder(read: (object: unknown) => WorkloadRecord): Decoder<WorkloadRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => {
      const record = read(object);
      const { uid, resourceVersion } = record;
      return { key: objectKey(record.namespace, record.name), uid, resourceVersion, object: record };
    },
  };
}
