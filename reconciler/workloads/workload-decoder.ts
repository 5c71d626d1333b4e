import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Decoded, Decoder } from '../../shared/kube/wire/decoder';
import { withRestartsDisabled } from '../../shared/domain/workloads/restarts-disabled';

/** Workloads are requested as JSON: a template is walked field by field, not hashed. */
export function workloadDecoder(
  read: (object: unknown) => WorkloadRecord,
  keys: Pick<AnnotationKeys, 'auto'>,
): Decoder<WorkloadRecord> {
  return {
    accepts: 'json',
    fromJson: (object) => decoded(read(object)),
    large: {
      overBytes: budgets.workloadBytes,
      fromIdentity: (object) => decoded(tooLarge(read(object), keys)),
    },
  };
}

function decoded(record: WorkloadRecord): Decoded<WorkloadRecord> {
  const { uid, resourceVersion } = record;
  return { key: objectKey(record.namespace, record.name), uid, resourceVersion, object: record };
}

/** It is not known whether this workload asks for restarts. Its author may think so, so the problem is reported. */
function tooLarge(record: WorkloadRecord, { auto }: Pick<AnnotationKeys, 'auto'>): WorkloadRecord {
  const message = `is not read, nor is any other: the workload has more than ${budgets.workloadBytes} bytes of JSON, so nothing restarts it`;
  const fix = 'make it smaller, for example by moving data from the pod template to a ConfigMap';
  return {
    ...withRestartsDisabled(record),
    problems: [{ code: 'over-budget', key: auto, value: undefined, message, fix }],
  };
}
