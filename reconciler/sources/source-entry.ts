import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import type { SourceFlags, SourceRecord } from '../../shared/domain/sources/source';
import { changedAtMs, type WriteTimeEvidence } from './source-write-times';

/** Since when the annotations of a source say what they say; 0: since before we watch. */
export type FlagTimes = Pick<SourceEntry, 'heededFromMs' | 'matchesFromMs'>;

/** A content that nobody has read, of an object of this version, until a write made it another. */
export interface PastVersion {
  readonly version: string;
  readonly until: string;
}

/** A state that a source was in until `observedMs` (monotonic). */
export interface PreviousState extends DatedContent {
  readonly observedMs: number;
}

interface DatedContent {
  /** Undefined: there was none; `unknown`: there was one, of which only a successor was seen. */
  readonly content: ContentDigest | undefined | 'unknown' | 'metadata-only' | PastVersion;
  /** When it came to be, by the API server's clock as far as that is known. */
  readonly fromMs: number;
  /** As long as its content, or the one before it, may yet be read and give it another time. */
  readonly dating?: WriteTimeEvidence | undefined;
}

/** What the index knows of a source. */
export interface SourceEntry {
  readonly record: SourceRecord | undefined;
  readonly fromMs: number;
  readonly dating?: WriteTimeEvidence | undefined;
  /** When the annotation that excludes it last changed; 0: not since we watch. */
  readonly heededFromMs: number;
  /** The same of the one by which searches find it. */
  readonly matchesFromMs: number;
  /** By a read by name, with which the watch has not caught up: until then it may bring what came before. */
  readonly isRead: boolean;
  /** Oldest first. */
  readonly former: readonly PreviousState[];
  /** What it held when it was first seen is forgotten, and it was edited since. */
  readonly isFirstForgotten: boolean;
  /** What the annotations of a source that is gone said last. */
  readonly lastFlags?: SourceFlags;
}

export const noPast: readonly PreviousState[] = [];

/** All its states, oldest first, today's last. */
export function statesOf({ former, record, fromMs, dating }: SourceEntry): readonly DatedContent[] {
  return [...former, { content: record?.content, fromMs, dating }];
}

/** Which of its states was seen first, since it came or came back. What it may have been before that nobody has seen. */
export function firstSeenIndex({ former }: SourceEntry): number {
  const came = former.findLastIndex(({ content }) => content === undefined) + 1;
  return came > 0 && former[came]?.content === 'unknown' ? came + 1 : came;
}

/** Without its past. */
export function withoutPast(entry: SourceEntry): SourceEntry {
  const isFirstForgotten = entry.isFirstForgotten || firstSeenIndex(entry) < entry.former.length;
  return { ...entry, former: noPast, isFirstForgotten };
}

/** The content of a state, where there was one that is known. */
export function knownContent(content: DatedContent['content']): ContentDigest | undefined {
  return typeof content === 'string' || isPastVersion(content) ? undefined : content;
}

/** Whether a read may tell what it was. */
export function isMetadataOnly(content: DatedContent['content']): content is 'metadata-only' | PastVersion {
  return content === 'metadata-only' || isPastVersion(content);
}

export function isPastVersion(content: DatedContent['content']): content is PastVersion {
  return typeof content === 'object' && 'until' in content;
}

/** The same entry, with the times that its contents give it. */
export function withResolvedTimes(entry: SourceEntry): SourceEntry {
  const now = { ...entry, content: entry.record?.content };
  // Of what nobody reads there is nothing to date, however often it changes.
  const isDue = entry.former.some((state, index) => isDatable(state, entry.former[index - 1]));
  if (!isDue && !isDatable(now, entry.former.at(-1))) return entry;
  const former: PreviousState[] = [];
  for (const state of entry.former) former.push({ ...state, ...timeOf(state, former.at(-1)) });
  return { ...entry, ...timeOf(now, former.at(-1)), former };
}

/** Whether all is known that its time rests on, and it has not been given yet. */
function isDatable({ content, dating }: DatedContent, before: DatedContent | undefined): boolean {
  return (
    dating !== undefined && !(before && (before.dating || isMetadataOnly(before.content) || isMetadataOnly(content)))
  );
}

function timeOf(state: DatedContent, before: DatedContent | undefined): Pick<DatedContent, 'fromMs' | 'dating'> {
  const { content, fromMs, dating } = state;
  if (!dating || !isDatable(state, before)) return { fromMs, dating };
  const [was, is] = [knownContent(before?.content), knownContent(content)];
  // Of what nobody can tell, nobody can tell either how soon after the last write that was seen it came.
  const earliestMs = content === 'unknown' ? Math.min(fromMs, dating.formerMs) : fromMs;
  if (!before || !was || !is) return { fromMs: earliestMs, dating: undefined };
  // A write of labels, say: it is what it was.
  return { fromMs: is.equals(was) ? before.fromMs : changedAtMs(dating, was, is), dating: undefined };
}
