import { emptyNamedList } from '../../shared/domain/text/pattern';
import type { KindPolicy, WorkloadPolicy } from '../../shared/domain/policy/policy';
import { noReferences } from '../../shared/domain/sources/references';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';

const off: KindPolicy = Object.freeze({
  leftOut: true,
  named: emptyNamedList,
  excluded: new Set<string>(),
  search: false,
  auto: 'off',
});
const offPolicy: WorkloadPolicy = Object.freeze({ ConfigMap: off, Secret: off, SecretProviderClass: off });

/** The workload as one that nothing restarts, whatever it asks for. */
export function withRestartsDisabled(record: WorkloadRecord): WorkloadRecord {
  return { ...record, policy: offPolicy, references: noReferences };
}
