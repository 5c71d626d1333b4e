import { optedIn } from '../policy/policy';
import type { LocalSourceRef } from '../sources/source';
import { candidateOf } from './candidates';
import { judge } from './judge';
import type { PlanInput } from './plan-input';

/**
 * Whether a restart for this source is owed to the workload, or may be because something must be read first. It judges
 * this source alone, so it takes less than a plan.
 */
export function mayOwe(source: LocalSourceRef, input: PlanInput): boolean {
  const { workload, settings } = input;
  const { record } = workload;
  if (record.deleting || !optedIn(record.policy, settings.policy)) return false;
  const candidate = candidateOf({ ...source, namespace: record.namespace }, workload);
  if (!candidate) return false;
  const { needsContent, comparison } = judge(candidate, input);
  return needsContent === true || comparison?.restart === true;
}
