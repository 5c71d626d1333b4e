import type { InForce } from '../baseline/comparison';
import type { ContentDigest } from '../sources/content-digest';
import type { SourceFlags, SourceKind, SourceRecord } from '../sources/source';

/** A plan's view of sources, now and in the last minutes. `metadata-only`: the content has not been read yet. */
export interface SourceView {
  get(kind: SourceKind, namespace: string, name: string): SourceRecord | undefined;
  /** The flags of a source that was deleted within the last minutes; undefined if it exists, or was not seen. */
  lastKnownFlags(kind: SourceKind, namespace: string, name: string): SourceFlags | undefined;
  /** The names of all sources of a kind in a namespace, for patterns. */
  namesIn(kind: SourceKind, namespace: string): Iterable<string>;
  /** The state in force at `sinceMs`, by the API server's clock; `bySearch`: for a workload that found it by search. */
  inForceAt(
    kind: SourceKind,
    namespace: string,
    name: string,
    sinceMs: number,
    bySearch?: boolean,
  ): InForce | 'metadata-only';
  /** A content of the last minutes, by the digest of the whole. */
  formerContent(
    kind: SourceKind,
    namespace: string,
    name: string,
    whole: string,
  ): ContentDigest | 'metadata-only' | undefined;
  /** The content at creation; `unknown` if it was edited before it was first seen. */
  firstContent(
    kind: SourceKind,
    namespace: string,
    name: string,
  ): ContentDigest | 'unknown' | 'metadata-only' | undefined;
  /** The content when it was first seen; `unknown` if only a later edit is remembered. */
  firstSeen(kind: SourceKind, namespace: string, name: string): ContentDigest | 'unknown' | 'metadata-only' | undefined;
}
