import type { InForce } from '../../shared/domain/baseline/comparison';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { firstSeenIndex, isMetadataOnly, knownContent, statesOf, type SourceEntry } from './source-entry';

/**
 * The state in force at `sinceMs`, a time of the API server's clock in whole seconds; infinity asks for today's. `metadata-only`: a read
 * is to tell.
 *
 * Within one second the order of two writes is not known. Then the older state is taken: at worst one restart too
 * many, never a change missed. A source that was admitted later by an annotation of its own counts from then on; that it
 * matches has admitted it to those alone that have found it `bySearch`.
 */
export function inForceAt(
  entry: SourceEntry | undefined,
  sinceMs: number,
  bySearch = false,
): InForce | 'metadata-only' {
  if (!entry) return { content: undefined };
  const admittedMs = Math.max(entry.heededFromMs, bySearch ? entry.matchesFromMs : 0);
  const second = Math.floor(Math.max(sinceMs, admittedMs) / 1000) * 1000;
  // Pods start before the first rotation of what they mount, as before any other.
  const isAwaited = entry.record?.kind !== 'SecretProviderClass';
  const states = statesOf(entry);
  let next: (typeof states)[number] | undefined;
  for (const state of states.toReversed()) {
    if (state.dating) return 'metadata-only';
    if (state.fromMs < second) {
      // Created within the second: pods cannot start without it, so those of a workload born then have read it.
      const createdThen = isAwaited && state.content === undefined && next && next.fromMs < second + 1000;
      const content = createdThen ? next?.content : state.content;
      if (isMetadataOnly(content)) return 'metadata-only';
      return content === 'unknown' ? content : { content };
    }
    next = state;
  }
  const createdAtMs = entry.record?.createdAtMs;
  // Its first content: pods cannot start without it, so those of a workload born in the same second have read it.
  if (!next || next.fromMs !== createdAtMs || next.content === 'unknown') return 'unknown';
  if (createdAtMs > second || (createdAtMs === second && !isAwaited)) return { content: undefined };
  return isMetadataOnly(next.content) ? 'metadata-only' : { content: next.content };
}

/** What a source was created with; `unknown` where it was edited before it was first seen. */
export function firstContent(entry: SourceEntry | undefined): ContentDigest | 'unknown' | 'metadata-only' | undefined {
  if (!entry?.record) return undefined;
  const absentUntil = entry.former.findLastIndex(({ content }) => content === undefined);
  const first = statesOf(entry)[absentUntil + 1];
  if (!first || first.fromMs > entry.record.createdAtMs) return 'unknown';
  return isMetadataOnly(first.content) ? 'metadata-only' : first.content;
}

/**
 * What it held when it was first seen, or seen again: what its label brought into the selection, say. `unknown` where an edit
 * since then is all that is remembered.
 */
export function firstSeen(entry: SourceEntry | undefined): ContentDigest | 'unknown' | 'metadata-only' | undefined {
  if (!entry?.record) return undefined;
  const first = entry.isFirstForgotten ? undefined : statesOf(entry)[firstSeenIndex(entry)];
  if (!first || first.content === 'unknown') return 'unknown';
  return isMetadataOnly(first.content) ? 'metadata-only' : first.content;
}

/** A content of the recent past by the digest of its whole; `metadata-only`: it may be one that was not read. */
export function formerContent(
  entry: SourceEntry | undefined,
  whole: string,
): ContentDigest | 'metadata-only' | undefined {
  const past = entry?.former ?? [];
  const found = past.findLast(({ content }) => knownContent(content)?.whole() === whole);
  if (found) return knownContent(found.content);
  return past.some(({ content }) => isMetadataOnly(content)) ? 'metadata-only' : undefined;
}
