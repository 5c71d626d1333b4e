import type { InForce } from '../../shared/domain/baseline/comparison';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { firstSeenIndex, isMetadataOnly, knownContent, statesOf, type SourceEntry } from './source-entry';

/**
 * The state in force at `sinceMs`. A source that was admitted later by an annotation counts only from then on. A
 * `match` annotation admits it only to workloads that found it `bySearch`.
 */
export function inForceAt(
  entry: SourceEntry | undefined,
  sinceMs: number,
  bySearch = false,
): InForce | 'metadata-only' {
  return heldAt(entry, Math.max(sinceMs, admittedSinceMs(entry, bySearch)));
}

/** See SourceView. */
export function admittedSinceMs(entry: SourceEntry | undefined, bySearch: boolean): number {
  return Math.max(entry?.ignoreSinceMs ?? 0, bySearch ? (entry?.matchSinceMs ?? 0) : 0);
}

/**
 * What the source held when a workload was created. `unknown` if its content changed in that second: its pods may have
 * read what was there before, and a source that returned to that later must not look unchanged.
 */
export function heldAtBirth(entry: SourceEntry | undefined, createdAtMs: number): InForce | 'metadata-only' {
  const held = heldAt(entry, createdAtMs);
  if (held === 'metadata-only' || !entry) return held;
  const states = statesOf(entry);
  const second = Math.floor(createdAtMs / 1000) * 1000;
  const isChangedThen = states.some(
    ({ fromMs }, index) => fromMs >= second && fromMs < second + 1000 && states[index - 1]?.content !== undefined,
  );
  return isChangedThen ? 'unknown' : held;
}

/**
 * What the source held at `sinceMs`, by the API server's clock in whole seconds; infinity asks for the current state.
 * `metadata-only`: a read must reveal it.
 *
 * Within one second the order of two writes is not known. Then the older state is used: at worst one restart too many,
 * never a missed change.
 */
function heldAt(entry: SourceEntry | undefined, sinceMs: number): InForce | 'metadata-only' {
  if (!entry) return { content: undefined };
  const second = Math.floor(sinceMs / 1000) * 1000;
  // Pods do not wait for a rotation of what they mount, not even for the first one.
  const isAwaited = entry.record?.kind !== 'SecretProviderClass';
  const states = statesOf(entry);
  let next: (typeof states)[number] | undefined;
  for (const state of states.toReversed()) {
    const { evidence, reappeared, fromMs } = state;
    // It may have been like that since its creation, or only when it was seen: the contents must tell.
    if (evidence || (reappeared && fromMs < second && reappeared.seenMs >= second)) return 'metadata-only';
    if (fromMs < second) {
      // Created within the second: pods cannot start without it, so those of a workload created then have read it.
      const createdThen = isAwaited && state.content === undefined && next && next.fromMs < second + 1000;
      const content = createdThen ? next?.content : state.content;
      if (isMetadataOnly(content)) return 'metadata-only';
      return content === 'unknown' ? content : { content };
    }
    next = state;
  }
  if (next?.reappeared) return 'metadata-only';
  const createdAtMs = entry.record?.createdAtMs;
  // Its first content. Pods cannot start without it, so those of a workload created in the same second have read it.
  if (!next || next.fromMs !== createdAtMs || next.content === 'unknown') return 'unknown';
  if (createdAtMs > second || (createdAtMs === second && !isAwaited)) return { content: undefined };
  return isMetadataOnly(next.content) ? 'metadata-only' : { content: next.content };
}

/** The content at creation; `unknown` if the source was edited before it was first seen. */
export function firstContent(entry: SourceEntry | undefined): ContentDigest | 'unknown' | 'metadata-only' | undefined {
  if (!entry?.record) return undefined;
  const absentUntil = entry.former.findLastIndex(({ content }) => content === undefined);
  const first = statesOf(entry)[absentUntil + 1];
  if (first?.reappeared) return 'metadata-only';
  if (!first || first.fromMs > entry.record.createdAtMs) return 'unknown';
  return isMetadataOnly(first.content) ? 'metadata-only' : first.content;
}

/**
 * The content when the source was first seen, or seen again, for example when a label selected it. `unknown` if only
 * later edits are remembered.
 */
export function firstSeen(entry: SourceEntry | undefined): ContentDigest | 'unknown' | 'metadata-only' | undefined {
  if (!entry?.record) return undefined;
  const first = entry.isFirstForgotten ? undefined : statesOf(entry)[firstSeenIndex(entry)];
  if (!first || first.content === 'unknown') return 'unknown';
  return isMetadataOnly(first.content) ? 'metadata-only' : first.content;
}

/** A recent content by its whole digest; `metadata-only`: it may be one that was not read. */
export function formerContent(
  entry: SourceEntry | undefined,
  whole: string,
): ContentDigest | 'metadata-only' | undefined {
  const past = entry?.former ?? [];
  const found = past.findLast(({ content }) => knownContent(content)?.whole() === whole);
  if (found) return knownContent(found.content);
  return past.some(({ content }) => isMetadataOnly(content)) ? 'metadata-only' : undefined;
}

/** Whether the source held the content with this whole digest before, and another one since. */
export function heldBefore(entry: SourceEntry | undefined, whole: string): boolean {
  const digests = (entry ? statesOf(entry) : []).map(({ content }) => knownContent(content)?.whole());
  const otherAt = digests.findLastIndex((digest) => digest !== whole);
  return digests.slice(0, Math.max(0, otherAt)).includes(whole);
}
