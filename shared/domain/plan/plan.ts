import { sameSources, type Baseline, type Recorded } from '../baseline/baseline';
import { compare, type Comparison, type InForce } from '../baseline/comparison';
import { absent, type ContentDigest } from '../sources/content-digest';
import { decide, type Decision, type DecisionReason, type PolicySettings } from '../policy/policy';
import type { Selector } from '../kubernetes/selector';
import { hasContent, sourceId, sourceKinds, type SourceId, type SourceKind } from '../sources/source';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import { isCreatedAfter } from './created-after';
import type { SourceFlags } from '../sources/source';
import type { SourceView } from './source-view';
import type { TrackedWorkload } from './tracked-workload';

export interface PlanSettings {
  readonly policy: PolicySettings;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly sourceSelector: Selector;
}

export interface PlanInput {
  readonly workload: TrackedWorkload;
  readonly sources: SourceView;
  /** Kinds of sources whose state is known: of the others nothing is concluded. */
  readonly knownKinds: ReadonlySet<SourceKind>;
  /** Sources of the other kinds whose state is known all the same, by reads. */
  readonly isNamed?: (kind: SourceKind, namespace: string, name: string) => boolean;
  /** Whether versions of the two kinds tell what was written first; undefined: that is to be asked. See ComparableVersions. */
  readonly isComparable?: (kind: WorkloadKindName, sourceKind: SourceKind) => boolean | undefined;
  readonly keyId: string;
  readonly term: Term;
  readonly settings: PlanSettings;
}

/** The time in which this process leads, by the API server's clock as far as that is known. */
export interface Term {
  /** From when on a workload without a baseline is known to be new, rather than new to us. */
  readonly inChargeSinceMs: number;
  /** From when on a change of a source is known to be one: before this term if this process stood by. */
  readonly watchingSinceMs: number;
}

/** What was concluded of one source, and why. */
export interface Verdict {
  readonly id: SourceId;
  readonly kind: SourceKind;
  readonly name: string;
  /** Where a marker for it goes. */
  readonly container: string | undefined;
  /** Digest of its whole content; undefined where it does not exist, or is not read. */
  readonly whole: string | undefined;
  readonly decision: DecisionReason | 'not-watched';
  /** Undefined where the decision ends it. */
  readonly comparison: Comparison | undefined;
  /** What it holds, or held, is to be read first. */
  readonly needsContent?: true;
  /** Its own annotations kept its deletion from counting: that is recorded, for soon nobody remembers what they said. */
  readonly deletionIgnored?: true;
  /** The workload uses some of its keys, and all of them count: there are too many to tell them apart. */
  readonly tooManyKeys?: true;
}

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

/** A source that the workload uses or names. */
export interface Candidate {
  readonly kind: SourceKind;
  readonly name: string;
  readonly keys: 'all' | readonly string[];
  readonly container: string | undefined;
}

/** Every source that a plan for the workload may rest on. */
export function candidates({ workload, sources }: Pick<PlanInput, 'workload' | 'sources'>): readonly Candidate[] {
  const { references, policy, namespace, firstContainer } = workload.record;
  const found = new Map<SourceId, Candidate>();
  for (const reference of references) {
    found.set(sourceId(reference.kind, reference.name), reference);
  }
  const addNamed = (kind: SourceKind, name: string): void => {
    const id = sourceId(kind, name);
    // What is named but not used in the template has no keys to go by: all of it counts.
    if (!found.has(id)) found.set(id, { kind, name, keys: 'all', container: firstContainer });
  };
  for (const kind of sourceKinds) {
    const { named } = policy[kind];
    for (const name of named.literals) addNamed(kind, name);
    if (!named.hasPatterns) continue;
    for (const name of sources.namesIn(kind, namespace)) if (named.matches(name)) addNamed(kind, name);
    for (const name of recordedNames(workload.baseline, kind)) if (named.matches(name)) addNamed(kind, name);
  }
  return [...found.values()];
}

function* recordedNames(baseline: Baseline | undefined, kind: SourceKind): Iterable<string> {
  const prefix = sourceId(kind, '');
  for (const id of baseline?.sources.keys() ?? []) if (id.startsWith(prefix)) yield id.slice(prefix.length);
}

function judge(candidate: Candidate, input: PlanInput): Verdict {
  const { workload, sources, settings } = input;
  const { kind, name, container } = candidate;
  const { namespace } = workload.record;
  const id = sourceId(kind, name);
  const source = sources.get(kind, namespace, name);
  const whole = source && hasContent(source) ? source.content.whole() : undefined;
  const verdict = { id, kind, name, container, whole };
  const isKnown = input.knownKinds.has(kind) || input.isNamed?.(kind, namespace, name) === true;
  if (!isKnown) return { ...verdict, decision: 'not-watched', comparison: undefined };
  const recorded = workload.baseline?.sources.get(id);
  const lastFlags = sources.lastKnownFlags(kind, namespace, name);
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
  if (source && !hasContent(source))
    return { ...verdict, decision: decision.because, comparison: undefined, needsContent: true };
  const reads = { owed: false };
  const known = <T, U>(found: T | 'metadata-only', unless: U): T | U => {
    if (found !== 'metadata-only') return found;
    reads.owed = true;
    return unless;
  };
  const bySearch = decision.because === 'search-match';
  // `onlyIfReferenced` holds of every candidate: what the template does not use is one because it is named.
  const comparison = compare({
    recorded,
    current: source?.content,
    keys: candidate.keys,
    inForce: () => known(inForce(candidate, input, bySearch), 'unknown'),
    atBirth: () => known(stateAtBirth(candidate, input, bySearch), 'unknown'),
    firstContent: () => known(firstContent(candidate, input, bySearch), 'unknown'),
    formerContent: (whole) => known(sources.formerContent(kind, namespace, name, whole), undefined),
    ...appearances(candidate, input),
  });
  const isCoarse = source?.content.isCoarse === true && candidate.keys !== 'all';
  const judged = {
    ...{ ...verdict, decision: decision.because, comparison: named(kind, comparison) },
    ...(isCoarse && { tooManyKeys: true as const }),
  };
  return reads.owed ? { ...judged, needsContent: true } : judged;
}

/** Of a SecretProviderClass only rotations are seen: its first one is a change, and none to be seen is no deletion. */
function appearances(candidate: Candidate, input: PlanInput): Pick<PlanSettings, 'reloadOnCreate' | 'reloadOnDelete'> {
  if (candidate.kind === 'SecretProviderClass') return { reloadOnCreate: true, reloadOnDelete: false };
  const { reloadOnCreate, reloadOnDelete } = input.settings;
  return { reloadOnCreate: reloadOnCreate && !wasThereAtBirth(candidate, input), reloadOnDelete };
}

/**
 * What came before the workload has not come since, whatever is recorded: a Job is created anew a while after that was
 * decided, with the record of then. What was not selected before comes with its label, by its last write at the latest.
 */
function wasThereAtBirth({ kind, name }: Candidate, { workload, sources, settings }: PlanInput): boolean {
  const { namespace, createdAtMs } = workload.record;
  const source = sources.get(kind, namespace, name);
  if (!source || source.createdAtMs >= createdAtMs) return false;
  return settings.sourceSelector.isEverything || (source.writtenAtMs ?? Infinity) < createdAtMs;
}

function named(kind: SourceKind, comparison: Comparison): Comparison {
  const isFirstRotation = kind === 'SecretProviderClass' && comparison.because === 'created';
  return isFirstRotation ? { ...comparison, because: 'content-changed' } : comparison;
}

/** Where another key recorded what its pods run with, and nothing older is known, that is what was seen first. */
function inForce({ kind, name }: Candidate, input: PlanInput, bySearch: boolean): InForce | 'metadata-only' {
  const { namespace } = input.workload.record;
  const sinceMs = referencedSinceMs(input);
  const isCreatedSince = isCreatedWithinSecond({ kind, name }, sinceMs, input);
  if (isCreatedSince === 'metadata-only') return isCreatedSince;
  if (isCreatedSince) return { content: undefined };
  const state = input.sources.inForceAt(kind, namespace, name, sinceMs, bySearch);
  if (state !== 'unknown' || !input.workload.underOtherKey) return state;
  const content = input.sources.get(kind, namespace, name)?.content;
  return content === 'metadata-only' ? content : { content };
}

/** With --reload-on-create: whether a source was created after the workload came to use it, though in the same second. */
function isCreatedWithinSecond(
  { kind, name }: Pick<Candidate, 'kind' | 'name'>,
  sinceMs: number,
  { workload, sources, settings, isComparable = () => false }: PlanInput,
): boolean | 'metadata-only' {
  const source = sources.get(kind, workload.record.namespace, name);
  const isCreation = settings.reloadOnCreate && kind !== 'SecretProviderClass';
  if (!isCreation || source?.createdAtMs !== sinceMs) return false;
  const comparable = isComparable(workload.record.kind, kind);
  return comparable === undefined ? 'metadata-only' : isCreatedAfter(workload, source, comparable);
}

/**
 * A record in the write that created the workload, by an index that may have been behind: its pods have read what was there by
 * then. Every later one names the object, but for a Job's, which is always made before it. See Baseline.
 */
function stateAtBirth(
  { kind, name }: Candidate,
  { workload, sources, term }: PlanInput,
  bySearch: boolean,
): InForce | 'metadata-only' {
  const { baseline, record } = workload;
  const isOfCreation = baseline?.uid === undefined && (baseline?.sequence === 1 || record.kind === 'Job');
  // What a list shows that came after may have lost a key since the creation, and that leaves no time.
  const wasWatched = record.createdAtMs >= term.watchingSinceMs;
  if (!isOfCreation || !wasWatched) return 'unknown';
  return sources.inForceAt(kind, record.namespace, name, record.createdAtMs, bySearch);
}

/** Pods are no older than their workload: what a source held before that they have not seen. */
function firstContent(
  { kind, name }: Candidate,
  { workload, sources, settings }: PlanInput,
  bySearch: boolean,
): ContentDigest | 'unknown' | 'metadata-only' | undefined {
  const { namespace, createdAtMs } = workload.record;
  const atBirth = sources.inForceAt(kind, namespace, name, createdAtMs, bySearch);
  if (atBirth === 'metadata-only') return atBirth;
  if (atBirth !== 'unknown' && atBirth.content !== undefined) return atBirth.content;
  // It was there all the time, and has come into the selection: no pod has waited for it, and what it held then counts.
  const bornMs = sources.get(kind, namespace, name)?.createdAtMs ?? Infinity;
  if (!settings.sourceSelector.isEverything && bornMs <= createdAtMs) return sources.firstSeen(kind, namespace, name);
  return sources.firstContent(kind, namespace, name);
}

/**
 * A workload that was there before us is taken to run with what its sources were when we began to watch. Not with today's:
 * until the adoption is written, which an API server in trouble may put off for minutes, each change is owed. One that came
 * while we watched and stood by runs with what was there when it came.
 *
 * One that was written since we are in charge came to use its sources by that write, or by one before it whose time it
 * hides: in doubt, as early as may be.
 */
function referencedSinceMs({ workload: { referencedSinceMs: since }, term }: PlanInput): number {
  if (typeof since === 'number') return since;
  const isWritten = since.writtenAtMs >= term.inChargeSinceMs;
  return Math.max(since.createdAtMs, isWritten ? term.inChargeSinceMs : term.watchingSinceMs);
}

/** Kept of sources that are gone and that only a pattern names: hashed names come and go with each release. */
const maxGoneByPattern = 32;

function nextBaseline(verdicts: readonly Verdict[], { workload, keyId, sources: index }: PlanInput): Baseline {
  const old = workload.baseline;
  const sources = new Map<SourceId, Recorded>();
  const lasts = usedOrListed(workload);
  let goneByPattern = 0;
  for (const { id, kind, name, comparison, deletionIgnored } of verdicts) {
    const recorded = deletionIgnored ? absent : (comparison?.recorded ?? old?.sources.get(id));
    if (recorded === undefined) continue;
    const isThere = index.get(kind, workload.record.namespace, name) !== undefined;
    const lasting = isThere || lasts(kind, id, name);
    if (lasting || goneByPattern++ < maxGoneByPattern) sources.set(id, recorded);
  }
  return { sequence: (old?.sequence ?? 0) + 1, keyId, uid: workload.record.uid, sources };
}

/** Tells what a workload names itself, in its template or in a list, from what a pattern alone has matched. */
export function usedOrListed({ record }: TrackedWorkload): (kind: SourceKind, id: SourceId, name: string) => boolean {
  const used = new Set(record.references.map((reference) => sourceId(reference.kind, reference.name)));
  return (kind, id, name) => used.has(id) || record.policy[kind].named.literals.has(name);
}
