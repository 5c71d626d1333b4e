import type { InForce, MetadataOnly } from '../baseline/comparison';
import { absent, type ContentDigest } from '../sources/content-digest';
import { sourceId, type SourceRecord } from '../sources/source';
import type { Candidate } from './candidates';
import { cameAfter } from './came-after';
import type { PlanInput } from './plan-input';

/** The state of the source when the workload came to use it. */
export function inForce(candidate: Candidate, input: PlanInput, bySearch: boolean): InForce | MetadataOnly {
  const sinceMs = referencedSinceMs(candidate, input);
  const isNew = cameSince(candidate, sinceMs, input, bySearch);
  if (isNew === 'metadata-only') return isNew;
  if (isNew) return { content: undefined };
  return input.sources.inForceAt(candidate, sinceMs, bySearch);
}

/**
 * The state of the source when keys that the baseline does not record began to count: by an edit of the template, or by
 * one of the list of keys. An edit of the workload's own list moves the time since when it uses its sources. If the
 * source did not exist then, and its creation does not count, pods have waited for it and started with its first
 * content.
 */
export function whenCounted(candidate: Candidate, input: PlanInput, bySearch: boolean): InForce | MetadataOnly {
  const { sources, settings, workload } = input;
  const keysSinceMs = workload.record.gates?.keys === undefined ? sources.keysSinceMs(candidate) : 0;
  const usedSinceMs = referencedSinceMs(candidate, input);
  const then =
    keysSinceMs <= usedSinceMs
      ? inForce(candidate, input, bySearch)
      : sources.inForceAt(candidate, keysSinceMs, bySearch);
  if (typeof then === 'string' || then.content !== undefined || settings.reloadOnCreate) return then;
  const first = appearedAs(candidate, input, Math.max(keysSinceMs, usedSinceMs));
  return typeof first === 'string' ? first : { content: first };
}

/**
 * With --reload-on-create: whether the source came to count after the workload came to use it, though its times do not
 * tell: it was created in the same second, or it is older, and a label that excluded it was removed.
 */
function cameSince(candidate: Candidate, sinceMs: number, input: PlanInput, bySearch: boolean): boolean | MetadataOnly {
  const { sources, settings } = input;
  const source = sources.get(candidate);
  const isCreation = settings.reloadOnCreate && candidate.kind !== 'SecretProviderClass';
  if (!isCreation || !source || source.createdAtMs > sinceMs) return false;
  const { createdAtMs, writtenAtMs = createdAtMs, resourceVersion } = source;
  // The version of a later write does not show when the source came.
  if (createdAtMs === sinceMs) {
    return came(candidate, source, input, writtenAtMs === createdAtMs ? resourceVersion : undefined);
  }
  // What an annotation of its own has let count later is no creation.
  return sources.admittedSinceMs(candidate, bySearch) <= sinceMs && isSelectedSince(candidate, source, input);
}

/** Whether a label that excluded the source was removed after the workload came to use it. That leaves no time. */
function isSelectedSince(candidate: Candidate, source: SourceRecord, input: PlanInput): boolean | MetadataOnly {
  const { workload, settings } = input;
  // Labels select no SecretProviderClass.
  const mayBe = settings.sourceSelector.mayBeMetByRemoval && candidate.kind !== 'SecretProviderClass';
  return mayBe && workload.shownSince.has(sourceId(source)) && came(candidate, source, input, undefined);
}

/**
 * With --reload-on-create: whether the source already counted when the workload was created. Then its appearance is not
 * a creation, whatever the baseline records: a Job is recreated some time after the decision, with the record of that
 * decision. With a label selector, a source may have been selected as late as its last write.
 */
export function wasThereAtBirth(candidate: Candidate, input: PlanInput): boolean | MetadataOnly {
  const { workload, sources, settings } = input;
  const { createdAtMs } = workload.record;
  const source = sources.get(candidate);
  if (!source || source.createdAtMs >= createdAtMs) return false;
  const { isEverything, mayBeMetByRemoval } = settings.sourceSelector;
  if (isEverything) return true;
  if ((source.writtenAtMs ?? Infinity) >= createdAtMs) return false;
  if (!mayBeMetByRemoval) return true;
  if (!workload.shownSince.has(sourceId(source))) {
    // Not seen to come by this process. What was recorded as absent for this very object has come since.
    const { baseline } = workload;
    return baseline?.uid === undefined || baseline.sources.get(sourceId(source)) !== absent;
  }
  const isNew = isSelectedSince(candidate, source, input);
  return isNew === 'metadata-only' ? isNew : !isNew;
}

function came(
  { kind }: Candidate,
  source: SourceRecord,
  { workload, isComparable = () => false }: PlanInput,
  cameVersion: string | undefined,
): boolean | MetadataOnly {
  const comparable = isComparable(workload.record.kind, kind);
  return comparable === undefined ? 'metadata-only' : cameAfter(workload, source, comparable, cameVersion);
}

/**
 * The state of the source when the workload was created, for a baseline that is older than the object: the one that
 * admission adds to the CREATE, from an index that may have been behind, or that of a recreated Job. The pods have read
 * what was there at the creation. A later baseline has the object's uid, and the answer for it is `unknown`, except for a
 * Job: it gets no other pods, and a watch that was behind may show the changes from before its creation one by one. See
 * Baseline.
 */
export function stateAtBirth(candidate: Candidate, input: PlanInput): InForce | MetadataOnly {
  const { workload, sources, term } = input;
  const { baseline, record } = workload;
  const isOfCreation = record.kind === 'Job' || (baseline?.uid === undefined && baseline?.sequence === 1);
  // If the workload was created before this process began to watch, a list shows the source only later. A key may have
  // been removed in between, and a removal leaves no time in managedFields.
  const wasWatched = record.createdAtMs >= term.watchingSinceMs;
  if (!isOfCreation || !wasWatched) return 'unknown';
  const source = sources.get(candidate);
  const isNew = source && isSelectedSince(candidate, source, input);
  if (isNew === 'metadata-only') return isNew;
  if (isNew) return { content: undefined };
  // Not `inForceAt`: the source may have been ignored for a while since then. What the baseline records counted at the
  // creation.
  return sources.heldAtBirth(candidate, record.createdAtMs);
}

/**
 * The content that pods started with if they had to wait for the source. Pods are not older than their workload, so
 * they have not seen what the source held before the workload was created.
 */
export function firstContent(
  candidate: Candidate,
  input: PlanInput,
  bySearch: boolean,
): ContentDigest | 'unknown' | MetadataOnly | undefined {
  const { workload, sources } = input;
  const { createdAtMs } = workload.record;
  const atBirth = sources.inForceAt(candidate, createdAtMs, bySearch);
  if (atBirth === 'metadata-only') return atBirth;
  if (atBirth !== 'unknown' && atBirth.content !== undefined) return atBirth.content;
  return appearedAs(candidate, input, createdAtMs);
}

/** The content with which a source appeared that did not exist, or was not selected, at `sinceMs`. */
function appearedAs(
  candidate: Candidate,
  { sources, settings }: PlanInput,
  sinceMs: number,
): ContentDigest | 'unknown' | MetadataOnly | undefined {
  // The source existed before and was selected later. No pod has waited for it, so the content with which it was first
  // seen counts.
  const bornMs = sources.get(candidate)?.createdAtMs ?? Infinity;
  if (!settings.sourceSelector.isEverything && bornMs <= sinceMs) return sources.firstSeen(candidate);
  return sources.firstContent(candidate);
}

/**
 * When the workload came to use its sources. If that was not observed:
 *
 * A workload that existed before this process began to watch is assumed to run with what its sources held at that time,
 * not with their current content. A failing API server may delay the adoption by minutes, and until it is written, each
 * change requires a restart. If the workload was created while this process watched as a standby, the time of its
 * creation counts.
 *
 * A workload that was written since this process is in charge came to use its sources by that write, or by an earlier
 * one whose time that write hides. In doubt, the earliest possible time counts.
 */
function referencedSinceMs(candidate: Candidate, { workload, term }: PlanInput): number {
  const since = workload.unrecordedSince.get(sourceId(candidate)) ?? workload.referencedSinceMs;
  if (typeof since === 'number') return since;
  const isWritten = since.writtenAtMs >= term.inChargeSinceMs;
  return Math.max(since.createdAtMs, isWritten ? term.inChargeSinceMs : term.watchingSinceMs);
}
