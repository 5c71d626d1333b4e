import type { ContentDigest } from '../shared/domain/content-digest';
import type { SourceRecord } from '../shared/domain/source';

/** A state that a source was in until `observedMs` (monotonic). */
export interface FormerState {
  /** Undefined: there was none; `unknown`: there was one, of which only a successor was seen. */
  readonly content: ContentDigest | undefined | 'unknown';
  /** When it came to be, by the API server's clock as far as that is known. */
  readonly fromMs: number;
  readonly observedMs: number;
}

/** Whether a source is to be ignored, and whether it matches searches. */
export type SourceFlags = Pick<SourceRecord, 'ignore' | 'match'>;

/** What the index knows of a source. */
export interface SourceEntry {
  readonly record: SourceRecord | undefined;
  readonly fromMs: number;
  /** When the annotations that admit or exclude it last changed; 0: not since we watch. */
  readonly flagsFromMs: number;
  /** By a read by name, with which the watch has not caught up: until then it may bring what came before. */
  readonly isRead: boolean;
  /** Oldest first. */
  readonly former: readonly FormerState[];
  /** What the annotations of a source that is gone said last. */
  readonly lastFlags?: SourceFlags;
}

export const noPast: readonly FormerState[] = [];

/** The content of a state, where there was one that is known. */
export function knownContent(content: FormerState['content']): ContentDigest | undefined {
  return content === 'unknown' ? undefined : content;
}
