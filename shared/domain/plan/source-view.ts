import type { InForce } from '../baseline/comparison';
import type { ContentDigest } from '../sources/content-digest';
import type { SourceFlags, SourceKind, SourceRecord, SourceRef } from '../sources/source';

/** A plan's view of sources, now and in the last minutes. `metadata-only`: the content has not been read yet. */
export interface SourceView {
  get(source: SourceRef): SourceRecord | undefined;
  /** The flags of a source that was deleted within the last minutes; undefined if it exists, or was not seen. */
  lastKnownFlags(source: SourceRef): SourceFlags | undefined;
  /** Since when its own annotations let it count, as far as they were seen to change; 0: since before it was watched. */
  admittedSinceMs(source: SourceRef, bySearch: boolean): number;
  /** Since when its own list of keys counts as it is now, by the API server's clock; 0: since before it was watched. */
  keysSinceMs(source: SourceRef): number;
  /** The names of all sources of a kind in a namespace, for patterns. */
  namesIn(kind: SourceKind, namespace: string): Iterable<string>;
  /**
   * The state in force at `sinceMs`, by the API server's clock, or when the source came to count, if that was later.
   * `bySearch`: for a workload that found it by search.
   */
  inForceAt(source: SourceRef, sinceMs: number, bySearch?: boolean): InForce | 'metadata-only';
  /**
   * What the source held at the birth of a workload, whether or not it counted then; `unknown` if it changed in that
   * second.
   */
  heldAtBirth(source: SourceRef, createdAtMs: number): InForce | 'metadata-only';
  /** A content of the last minutes, by the digest of the whole. */
  formerContent(source: SourceRef, whole: string): ContentDigest | 'metadata-only' | undefined;
  /** The content at creation; `unknown` if it was edited before it was first seen. */
  firstContent(source: SourceRef): ContentDigest | 'unknown' | 'metadata-only' | undefined;
  /** The content when it was first seen; `unknown` if only a later edit is remembered. */
  firstSeen(source: SourceRef): ContentDigest | 'unknown' | 'metadata-only' | undefined;
}
