import { stringAt } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { isEngine, type Violation } from './judge';
import { leaseName, ownNamespace } from './replicas';

const written = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** Who writes to a workload holds the Lease at that revision. */
export function checkLeases(history: readonly WriteRecord[]): readonly Violation[] {
  const violations: Violation[] = [];
  let holder: string | undefined;
  for (const { kind, key, object, user, revision } of history) {
    if (kind.kind === 'Lease' && key === `${ownNamespace}/${leaseName}`) {
      holder = stringAt(object, 'spec', 'holderIdentity');
    } else if (written.has(kind.kind) && isEngine(user) && user !== holder) {
      const sentence = `${kind.kind} ${key} at revision ${revision} was written by ${user}, the Lease is ${holder ?? 'not there'}'s`;
      violations.push({ promise: 'two writers', sentence });
    }
  }
  return violations;
}
