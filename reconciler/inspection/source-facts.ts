import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { ComparisonReason } from '../../shared/domain/baseline/comparison';
import type { Recorded } from '../../shared/domain/baseline/recorded';
import { assertNever } from '../../shared/domain/errors';
import type { Candidate } from '../../shared/domain/plan/candidates';
import { whyOf } from '../../shared/domain/plan/describe-change';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { decidingRule } from '../../shared/domain/policy/deciding-rule';
import type { SourceUser } from '../../shared/domain/protocol/source-inspection';
import type { SourceStanding, UsedSource } from '../../shared/domain/protocol/workload-inspection';

/** As many as a log line names. A source may have thousands. */
const maxNamedKeys = 20;

/** The decision about a source, and the rule that makes it. */
export function decisionFacts(
  { keys }: Pick<Candidate, 'keys'>,
  verdict: Verdict,
  annotationKeys: AnnotationKeys,
): Pick<SourceUser, 'decision' | 'rule' | 'why' | 'keys' | 'moreKeys' | 'counted' | 'compare'> {
  const { decision, kind, filtered, isParsed } = verdict;
  const rule = decision === 'not-watched' ? undefined : decidingRule(decision, kind, annotationKeys);
  return {
    decision,
    ...(rule !== undefined && { rule }),
    why: verdict.needsContent ? 'the source must be read first' : whyOf(verdict),
    keys: keys === 'all' ? keys : keys.slice(0, maxNamedKeys),
    ...(keys !== 'all' && keys.length > maxNamedKeys && { moreKeys: keys.length - maxNamedKeys }),
    ...(filtered && { counted: { keys: filtered.filter.text, on: filtered.on } }),
    ...(isParsed && { compare: 'parsed' as const }),
  };
}

/** The comparison of what is recorded of a source with what it is now. Names keys, and no digest. */
export function standingFacts(
  recorded: Recorded | undefined,
  verdict: Verdict,
  exists = verdict.exists,
): Pick<UsedSource, 'standing' | 'changedKeys' | 'moreChangedKeys' | 'restarts'> {
  const { comparison } = verdict;
  const changed = comparison?.changedKeys ?? [];
  return {
    standing: standingOf(recorded, verdict, exists),
    ...(changed.length > 0 && { changedKeys: changed.slice(0, maxNamedKeys) }),
    ...(changed.length > maxNamedKeys && { moreChangedKeys: changed.length - maxNamedKeys }),
    restarts: comparison?.restart === true,
  };
}

function standingOf(recorded: Recorded | undefined, verdict: Verdict, exists: boolean): SourceStanding {
  const { comparison, needsContent } = verdict;
  if (needsContent) return 'not-read-yet';
  if (!comparison) return 'not-compared';
  if (!exists) return 'absent';
  if (!verdict.exists) return 'not-rotated';
  if (comparison.because === 'same-parsed') return 'same-parsed';
  const isChange = isChanged(comparison.because);
  return recorded === undefined && !isChange ? 'not-recorded' : isChange ? 'changed' : 'unchanged';
}

function isChanged(because: ComparisonReason): boolean {
  switch (because) {
    case 'unchanged':
    case 'same-parsed':
    case 'first-seen':
      return false;
    case 'content-changed':
    case 'changed-back':
    case 'changed-since-birth':
    case 'in-doubt':
    case 'created':
    case 'created-ignored':
    case 'deleted':
    case 'deleted-ignored':
      return true;
    default:
      return assertNever(because, 'result of a comparison');
  }
}
