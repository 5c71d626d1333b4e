import { optedIn } from '../policy/policy';
import type { DigestedSource, LocalSourceRef } from '../sources/source';
import { candidateOf } from './candidates';
import { judge } from './judge';
import type { PlanInput } from './plan-input';
import { supposedContent } from './supposed-content';
import type { Verdict } from './verdict';

/**
 * Whether a restart for this source is owed to the workload, or may be because something must be read first. It judges
 * this source alone, so it takes less than a plan.
 */
export function mayOwe(source: LocalSourceRef, input: PlanInput): boolean {
  return isOwed(verdictOn(source, input));
}

/**
 * Whether the workload has, or may have, another content than this one, if that is what its source contains. What single
 * pods have that started while a restart waited does not count.
 */
export function mayHaveOther(content: DigestedSource, input: PlanInput): boolean {
  const verdict = verdictOn(content, { ...input, sources: supposedContent(input.sources, content) });
  return isOwed(verdict) && verdict?.comparison?.because !== 'changed-back';
}

function isOwed(verdict: Verdict | undefined): boolean {
  return verdict?.needsContent === true || verdict?.comparison?.restart === true;
}

function verdictOn(source: LocalSourceRef, input: PlanInput): Verdict | undefined {
  const { workload, settings } = input;
  const { record } = workload;
  if (record.deleting || !optedIn(record.policy, settings.policy)) return undefined;
  const candidate = candidateOf({ ...source, namespace: record.namespace }, workload);
  return candidate && judge(candidate, input);
}
