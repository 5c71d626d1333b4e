import { compare, type Comparison } from '../baseline/comparison';
import { decide, type Decision } from '../policy/policy';
import { hasContent, sourceId, type SourceFlags, type SourceKind } from '../sources/source';
import type { Candidate } from './candidates';
import type { PlanInput, PlanSettings } from './plan-input';
import { firstContent, inForce, stateAtBirth } from './resolve';
import type { Verdict } from './verdict';

/** Resolves what is known of a source, decides by the policy, and compares. */
export function judge(candidate: Candidate, input: PlanInput): Verdict {
  const { workload, sources, settings } = input;
  const { kind, name, container } = candidate;
  const id = sourceId(candidate);
  const source = sources.get(candidate);
  const whole = source && hasContent(source) ? source.content.whole() : undefined;
  const verdict = { id, kind, name, container, whole, exists: source !== undefined };
  const isKnown = input.knownKinds.has(kind) || input.isNamed?.(candidate) === true;
  if (!isKnown) return { ...verdict, decision: 'not-watched', comparison: undefined };
  const recorded = workload.baseline?.sources.get(id);
  const lastFlags = source ? undefined : sources.lastKnownFlags(candidate);
  // Of a source that went unseen, the annotations are gone too: what it was recorded for still stands.
  const { ignore, match } = source ?? lastFlags ?? { ignore: false, match: recorded !== undefined };
  const decideBy = (flags: SourceFlags): Decision =>
    decide(workload.record.policy, workload.record.kind, { kind, name, ...flags }, settings.policy);
  const decision = decideBy({ ignore, match });
  if (!decision.restart) {
    const isGone = lastFlags !== undefined && recorded !== undefined && settings.reloadOnDelete;
    const deletionIgnored = isGone && decideBy({ ignore: false, match: true }).restart;
    return {
      ...verdict,
      decision: decision.because,
      comparison: undefined,
      ...(deletionIgnored && { deletionIgnored }),
    };
  }
  const needsContent = { ...verdict, decision: decision.because, comparison: undefined, needsContent: true as const };
  if (source && !hasContent(source)) return needsContent;
  // Where the workload asks for it anyway, it does not matter since when the source is annotated to match.
  const bySearch = decision.because === 'search-match' && !decideBy({ ignore, match: false }).restart;
  // `onlyIfReferenced` holds of every candidate: what the template does not use is one because it is named.
  const comparison = compare({
    recorded,
    current: source?.content,
    keys: candidate.keys,
    inForce: () => inForce(candidate, input, bySearch),
    atBirth: () => stateAtBirth(candidate, input),
    firstContent: () => firstContent(candidate, input, bySearch),
    formerContent: (whole) => sources.formerContent(candidate, whole),
    ...appearances(candidate, input),
  });
  if (comparison === 'metadata-only') return needsContent;
  const isCoarse = source?.content.isCoarse === true && candidate.keys !== 'all';
  return {
    ...{ ...verdict, decision: decision.because, comparison: named(kind, comparison) },
    ...(isCoarse && { tooManyKeys: true }),
  };
}

/**
 * Of a SecretProviderClass only rotations are seen: its first one is a change, and none to be seen is no deletion. Pods that
 * are younger than its last rotation have mounted what it brought, even if it was not seen when the record was made.
 */
function appearances(candidate: Candidate, input: PlanInput): Pick<PlanSettings, 'reloadOnCreate' | 'reloadOnDelete'> {
  if (candidate.kind === 'SecretProviderClass') {
    const rotatedAtMs = input.sources.get(candidate)?.writtenAtMs ?? Infinity;
    return { reloadOnCreate: rotatedAtMs >= input.workload.record.createdAtMs, reloadOnDelete: false };
  }
  const { reloadOnCreate, reloadOnDelete } = input.settings;
  return { reloadOnCreate: reloadOnCreate && !wasThereAtBirth(candidate, input), reloadOnDelete };
}

/**
 * What came before the workload has not come since, whatever is recorded: a Job is created anew a while after that was
 * decided, with the record of then. What was not selected before comes with its label, by its last write at the latest.
 */
function wasThereAtBirth(candidate: Candidate, { workload, sources, settings }: PlanInput): boolean {
  const { createdAtMs } = workload.record;
  const source = sources.get(candidate);
  if (!source || source.createdAtMs >= createdAtMs) return false;
  return settings.sourceSelector.isEverything || (source.writtenAtMs ?? Infinity) < createdAtMs;
}

function named(kind: SourceKind, comparison: Comparison): Comparison {
  const isFirstRotation = kind === 'SecretProviderClass' && comparison.because === 'created';
  return isFirstRotation ? { ...comparison, because: 'content-changed' } : comparison;
}
