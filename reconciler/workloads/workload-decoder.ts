import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Decoded, Decoder } from '../../shared/kube/wire/decoder';
import { withRestartsDisabled } from './restarts-disabled';

/** Workloads come as JSON: a template is walked field by field, not hashed. */
export function workloadDecoder(
  read: (object: unknown) => WorkloadRecord,
  keys: Pick<AnnotationKeys, 'auto'>,
): Decoder<WorkloadRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => decoded(read(object)),
    large: {
      overBytes: budgets.workloadBytes,
      fromIdentity: (object) => decoded(unread(read(object), keys)),
    },
  };
}

function decoded(record: WorkloadRecord): Decoded<WorkloadRecord> {
  const { uid, resourceVersion } = record;
  return { key: objectKey(record.namespace, record.name), uid, resourceVersion, object: record };
}

/** Nobody knows whether it asks for restarts. Who wrote it may have meant it to, so it is told. */
function unread(record: WorkloadRecord, { auto }: Pick<AnnotationKeys, 'auto'>): WorkloadRecord {
  const message = `is not read, and no other is: the workload has more than ${budgets.workloadBytes} bytes of JSON, so nothing restarts it`;
  const fix = 'make it smaller, for example with data in a ConfigMap that is now in the pod template';
  return {
    ...withRestartsDisabled(record),
    problems: [{ code: 'over-budget', key: auto, value: undefined, message, fix }],
  };
}
