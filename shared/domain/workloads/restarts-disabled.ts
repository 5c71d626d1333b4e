import type { KindPolicy, WorkloadPolicy } from '../policy/policy';
import { noReferences } from '../sources/references';
import { emptyNamedList } from '../text/pattern';
import type { WorkloadRecord } from './workload';

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
