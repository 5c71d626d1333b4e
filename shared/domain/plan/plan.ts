import { sameSources, type Baseline } from '../baseline/baseline';
import { candidates } from './candidates';
import { judge } from './judge';
import { nextBaseline } from './next-baseline';
import type { PlanInput } from './plan-input';
import type { Verdict } from './verdict';

export type Plan = { readonly verdicts: readonly Verdict[] } & (
  | { readonly action: 'none' }
  /** Read what is `metadata-only` among the verdicts, or ask what its versions tell, and plan again: until then they are of what is known. */
  | { readonly action: 'read' }
  /** Record the baseline, restart nothing. */
  | { readonly action: 'adopt'; readonly baseline: Baseline }
  /** Change the pod template and the baseline in one write. */
  | { readonly action: 'restart'; readonly baseline: Baseline; readonly changes: readonly Verdict[] }
);

/**
 * What is to be done for one workload, and why: a function of what is known now, not of what happened.
 *
 * However many sources differ, one restart answers them all; where nothing differs, nothing is written.
 */
export function plan(input: PlanInput): Plan {
  const { workload } = input;
  if (workload.record.deleting) return { action: 'none', verdicts: [] };
  const verdicts = candidates(input).map((candidate) => judge(candidate, input));
  if (verdicts.some(({ needsContent }) => needsContent)) return { action: 'read', verdicts };
  const baseline = nextBaseline(verdicts, input);
  const changes = verdicts.filter((verdict) => verdict.comparison?.restart === true);
  if (changes.length > 0) return { action: 'restart', baseline, changes, verdicts };
  const owed =
    workload.baselineLost ||
    workload.unwritten ||
    isUnderFormerKey(input) ||
    !sameSources(workload.baseline?.sources ?? new Map(), baseline.sources);
  return owed ? { action: 'adopt', baseline, verdicts } : { action: 'none', verdicts };
}

function isUnderFormerKey({ workload: { baseline }, keyId }: PlanInput): boolean {
  return baseline !== undefined && baseline.keyId !== keyId;
}
