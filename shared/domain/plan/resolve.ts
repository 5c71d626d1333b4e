import type { InForce, MetadataOnly } from '../baseline/comparison';
import type { ContentDigest } from '../sources/content-digest';
import type { Candidate } from './candidates';
import { isCreatedAfter } from './created-after';
import type { PlanInput } from './plan-input';

/** Where another key recorded what its pods run with, and nothing older is known, that is what was seen first. */
export function inForce(candidate: Candidate, input: PlanInput, bySearch: boolean): InForce | MetadataOnly {
  const sinceMs = referencedSinceMs(input);
  const isCreatedSince = isCreatedWithinSecond(candidate, sinceMs, input);
  if (isCreatedSince === 'metadata-only') return isCreatedSince;
  if (isCreatedSince) return { content: undefined };
  const state = input.sources.inForceAt(candidate, sinceMs, bySearch);
  if (state !== 'unknown' || !input.workload.underOtherKey) return state;
  const content = input.sources.get(candidate)?.content;
  return content === 'metadata-only' ? content : { content };
}

/** With --reload-on-create: whether a source was created after the workload came to use it, though in the same second. */
function isCreatedWithinSecond(
  candidate: Candidate,
  sinceMs: number,
  { workload, sources, settings, isComparable = () => false }: PlanInput,
): boolean | MetadataOnly {
  const { kind } = candidate;
  const source = sources.get(candidate);
  const isCreation = settings.reloadOnCreate && kind !== 'SecretProviderClass';
  if (!isCreation || source?.createdAtMs !== sinceMs) return false;
  const comparable = isComparable(workload.record.kind, kind);
  return comparable === undefined ? 'metadata-only' : isCreatedAfter(workload, source, comparable);
}

/**
 * A record in the write that created the workload, by an index that may have been behind: its pods have read what was there by
 * then. Every later one names the object, but for a Job's, which is always made before it. See Baseline.
 */
export function stateAtBirth(candidate: Candidate, { workload, sources, term }: PlanInput): InForce | MetadataOnly {
  const { baseline, record } = workload;
  const isOfCreation = baseline?.uid === undefined && (baseline?.sequence === 1 || record.kind === 'Job');
  // What a list shows that came after may have lost a key since the creation, and that leaves no time.
  const wasWatched = record.createdAtMs >= term.watchingSinceMs;
  if (!isOfCreation || !wasWatched) return 'unknown';
  // A source may have been ignored since then, and counts again. What was recorded of it counted at the creation.
  return sources.heldAt(candidate, record.createdAtMs);
}

/** Pods are no older than their workload: what a source held before that they have not seen. */
export function firstContent(
  candidate: Candidate,
  { workload, sources, settings }: PlanInput,
  bySearch: boolean,
): ContentDigest | 'unknown' | MetadataOnly | undefined {
  const { createdAtMs } = workload.record;
  const atBirth = sources.inForceAt(candidate, createdAtMs, bySearch);
  if (atBirth === 'metadata-only') return atBirth;
  if (atBirth !== 'unknown' && atBirth.content !== undefined) return atBirth.content;
  // It was there all the time, and has come into the selection: no pod has waited for it, and what it held then counts.
  const bornMs = sources.get(candidate)?.createdAtMs ?? Infinity;
  if (!settings.sourceSelector.isEverything && bornMs <= createdAtMs) return sources.firstSeen(candidate);
  return sources.firstContent(candidate);
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
