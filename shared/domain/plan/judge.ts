import { compare, type Comparison, type MetadataOnly } from '../baseline/comparison';
import { decide, type Decision } from '../policy/policy';
import { countedKeys, isIndistinct } from '../sources/counted-keys';
import { hasContent, sourceId, type SourceFlags, type SourceKind } from '../sources/source';
import type { Candidate } from './candidates';
import { nearestFilter } from './nearest-filter';
import type { PlanInput, PlanSettings } from './plan-input';
import { firstContent, inForce, stateAtBirth, wasThereAtBirth, whenCounted } from './resolve';
import type { Verdict } from './verdict';

/** Judges one source for a workload: applies the policy, resolves the states to compare, and compares them. */
export function judge(candidate: Candidate, input: PlanInput): Verdict {
  const { workload, sources, settings } = input;
  const { kind, name, container } = candidate;
  const id = sourceId(candidate);
  const source = sources.get(candidate);
  const whole = source && hasContent(source) ? source.content.whole() : undefined;
  const filtered = nearestFilter(workload.record, source);
  const keys = countedKeys(candidate.keys, filtered?.filter);
  const counting = {
    ...(filtered && { filtered }),
    ...(source?.gates?.compare === 'parsed' && { isParsed: true as const }),
  };
  const verdict = {
    ...{ id, kind, name, container, whole, exists: source !== undefined },
    ...{ uid: source?.uid, version: source?.resourceVersion },
    ...counting,
  };
  const isKnown = input.knownKinds.has(kind) || input.isNamed?.(candidate) === true;
  if (!isKnown) return { ...verdict, decision: 'not-watched', comparison: undefined };
  const recorded = workload.baseline?.sources.get(id);
  const lastFlags = source ? undefined : sources.lastKnownFlags(candidate);
  // If a deletion went unseen, the annotations of the source are unknown, too. It counts if the baseline records it.
  const { ignore, match } = source ??
    lastFlags ??
    input.classFlags?.(candidate) ?? { ignore: false, match: recorded !== undefined };
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
  // If the workload asks for the source without the search too, it does not matter when it was annotated to match.
  const bySearch = decision.because === 'search-match' && !decideBy({ ignore, match: false }).restart;
  const counted = appearances(candidate, input);
  if (counted === 'metadata-only') return needsContent;
  // `onlyIfReferenced` needs no check: every candidate is used by the template or named by a list.
  const comparison = compare({
    recorded,
    current: source?.content,
    keys,
    inForce: () => inForce(candidate, input, bySearch),
    whenCounted: () => whenCounted(candidate, input, bySearch),
    atBirth: () => stateAtBirth(candidate, input),
    firstContent: () => firstContent(candidate, input, bySearch),
    formerContent: (whole) => sources.formerContent(candidate, whole),
    ...counted,
  });
  if (comparison === 'metadata-only') return needsContent;
  const tooManyKeys = source && isIndistinct(source.content, keys);
  return {
    ...{ ...verdict, decision: decision.because, comparison: named(kind, comparison) },
    ...(tooManyKeys && { tooManyKeys }),
  };
}

/**
 * For a SecretProviderClass, only rotations are seen. Its first rotation is a change, and a class without a visible
 * rotation was not deleted. Pods that are younger than the last rotation have mounted what it brought, even if the
 * rotation had not been seen when the baseline was recorded.
 */
function appearances(
  candidate: Candidate,
  input: PlanInput,
): Pick<PlanSettings, 'reloadOnCreate' | 'reloadOnDelete'> | MetadataOnly {
  if (candidate.kind === 'SecretProviderClass') {
    const rotatedAtMs = input.sources.get(candidate)?.writtenAtMs ?? Infinity;
    return { reloadOnCreate: rotatedAtMs >= input.workload.record.createdAtMs, reloadOnDelete: false };
  }
  const { reloadOnCreate, reloadOnDelete } = input.settings;
  const wasThere = reloadOnCreate && wasThereAtBirth(candidate, input);
  if (wasThere === 'metadata-only') return wasThere;
  return { reloadOnCreate: reloadOnCreate && !wasThere, reloadOnDelete };
}

function named(kind: SourceKind, comparison: Comparison): Comparison {
  const isFirstRotation = kind === 'SecretProviderClass' && comparison.because === 'created';
  return isFirstRotation ? { ...comparison, because: 'content-changed' } : comparison;
}
