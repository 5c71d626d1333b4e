import { owingBaseline, sameSources, withoutDoubt, type Baseline, type OwedSource } from '../baseline/baseline';
import { isInDoubt } from '../baseline/recorded';
import { isStartingPods } from '../workloads/rollout-status';
import { candidates } from './candidates';
import { judge } from './judge';
import { keptOwed, nextBaseline } from './next-baseline';
import type { PlanInput } from './plan-input';
import type { TrackedWorkload } from './tracked-workload';
import type { Verdict } from './verdict';

export type Plan = { readonly verdicts: readonly Verdict[] } & (
  | { readonly action: 'none' }
  /**
   * Read the contents that the verdicts need, or ask whether versions are comparable, and plan again. Until then the
   * verdicts are preliminary.
   */
  | { readonly action: 'read' }
  /** Record the baseline, restart nothing. */
  | { readonly action: 'adopt'; readonly baseline: Baseline }
  /** Change the pod template and the baseline in one write. */
  | {
      readonly action: 'restart';
      readonly baseline: Baseline;
      readonly changes: readonly Verdict[];
      /** The baseline to record if the restart may not begin yet; undefined: what is recorded will do. */
      readonly owing: Baseline | undefined;
    }
);

/**
 * Decides what to do for one workload, and why. The result depends on what is known now, not on events.
 *
 * However many sources differ, there is one restart. If nothing differs and the baseline is up to date, nothing is
 * written.
 */
export function plan(input: PlanInput): Plan {
  const { workload } = input;
  if (workload.record.deleting) return { action: 'none', verdicts: [] };
  const verdicts = candidates(input).map((candidate) => judge(candidate, input));
  if (verdicts.some(({ needsContent }) => needsContent)) return { action: 'read', verdicts };
  const baseline = nextBaseline(verdicts, input);
  const changes = verdicts.filter((verdict) => verdict.comparison?.restart === true);
  if (changes.length > 0) {
    const owing = owingBaseline(baseline, workload.baseline, owedAgainst(changes, workload));
    return {
      ...{ action: 'restart', baseline: withoutDoubt(baseline), changes, verdicts },
      owing: isNews(owing, input) ? owing : undefined,
    };
  }
  return isNews(baseline, input) ? { action: 'adopt', baseline, verdicts } : { action: 'none', verdicts };
}

/**
 * What the changes are owed against while the restart waits. Pods that start meanwhile, because somebody else rolls the
 * workload out, read what is there now. If it is then changed back, digests alone do not show that these pods have
 * something else.
 */
function owedAgainst(changes: readonly Verdict[], workload: TrackedWorkload): readonly OwedSource[] {
  const startsPods = isStartingPods(workload.record);
  return keptOwed(changes, workload).map(({ id, comparison }) => ({
    ...{ id, former: comparison?.former },
    isInDoubt: startsPods || isInDoubt(workload.baseline?.sources.get(id)),
  }));
}

/**
 * Whether the workload does not carry this record yet. One that cannot be read is replaced even if there is nothing to
 * record: otherwise each next leader would report it again.
 */
function isNews({ sources }: Baseline, input: PlanInput): boolean {
  const { baseline, baselineProblem, baselineLost, unwritten } = input.workload;
  if (baselineProblem !== undefined || baselineLost || unwritten || isUnderFormerKey(input)) return true;
  return !sameSources(baseline?.sources ?? new Map(), sources);
}

function isUnderFormerKey({ workload: { baseline }, keyId }: PlanInput): boolean {
  return baseline !== undefined && baseline.keyId !== keyId;
}
