import type { InForce } from '../baseline/comparison';
import type { ContentDigest } from '../sources/content-digest';
import type { SourceFlags, SourceKind, SourceRecord } from '../sources/source';

/** What a plan is told about sources, today's and those of the last minutes. `metadata-only`: nobody has asked for the content yet. */
export interface SourceView {
  get(kind: SourceKind, namespace: string, name: string): SourceRecord | undefined;
  /** What a source that was deleted within the last minutes said of itself; undefined where it exists, or was not seen. */
  lastKnownFlags(kind: SourceKind, namespace: string, name: string): SourceFlags | undefined;
  /** The name of every source of a kind in a namespace, for patterns. */
  namesIn(kind: SourceKind, namespace: string): Iterable<string>;
  /** The state in force at `sinceMs`, by the API server's clock; `bySearch`: for a workload that has found it by search. */
  inForceAt(
    kind: SourceKind,
    namespace: string,
    name: string,
    sinceMs: number,
    bySearch?: boolean,
  ): InForce | 'metadata-only';
  /** A content of the last minutes by the digest of its whole. */
  formerContent(
    kind: SourceKind,
    namespace: string,
    name: string,
    whole: string,
  ): ContentDigest | 'metadata-only' | undefined;
  /** What it was created with; `unknown` where it was edited before it was first seen. */
  firstContent(
    kind: SourceKind,
    namespace: string,
    name: string,
  ): ContentDigest | 'unknown' | 'metadata-only' | undefined;
  /** What it held when it was first seen; `unknown` where only an edit since then is remembered. */
  firstSeen(kind: SourceKind, namespace: string, name: string): ContentDigest | 'unknown' | 'metadata-only' | undefined;
}
