import { absent, everyKey, type ContentDigest } from '../../shared/domain/sources/content-digest';
import type { SourceFlags, SourceRecord } from '../../shared/domain/sources/source';
import { changedAtMs, type WriteTimeEvidence } from './source-write-times';

/** Since when the annotations of a source have their current values; 0: since before the watch began. */
export type FlagTimes = Pick<SourceEntry, 'ignoreSinceMs' | 'matchSinceMs' | 'keysSinceMs'>;

/** Content that was not read: that of the object at `version`, which the write at `until` replaced. */
export interface PastVersion {
  readonly version: string;
  readonly until: string;
}

/** A state that a source had until `observedMs` (monotonic clock). */
export interface PreviousState extends TimedContent {
  readonly observedMs: number;
}

interface TimedContent {
  /** Undefined: the source did not exist; `unknown`: it existed, but only a later state was seen. */
  readonly content: ContentDigest | undefined | 'unknown' | 'metadata-only' | PastVersion;
  /** When it came into force, by the API server's clock as far as that is known. */
  readonly fromMs: number;
  /** Set as long as reading its content, or the previous one, may still change `fromMs`. */
  readonly evidence?: WriteTimeEvidence | undefined;
  /** Set as long as reading its content, or that of the object before it, may show that it has lost a key. */
  readonly reappeared?: Reappearance | undefined;
}

/** What the index knows about a source. */
export interface SourceEntry {
  readonly record: SourceRecord | undefined;
  readonly fromMs: number;
  readonly evidence?: WriteTimeEvidence | undefined;
  /** When the annotation that excludes the source last changed; 0: not since the watch began. */
  readonly ignoreSinceMs: number;
  /** The same for the annotation by which searches find it. */
  readonly matchSinceMs: number;
  /** The same for the annotation that says which of its keys count. */
  readonly keysSinceMs: number;
  /** The record, or that there is none, is from a read by name, and the watch may still show earlier states. */
  readonly isRead: boolean;
  /** Oldest first. */
  readonly former: readonly PreviousState[];
  /** The content that was seen first is forgotten, and the source was edited since. */
  readonly isFirstForgotten: boolean;
  /** The last annotations of a source that is deleted. */
  readonly lastFlags?: SourceFlags;
  /** The uid of the last object, if the source is deleted or its labels no longer select it. */
  readonly lastUid?: string;
  /** A list has shown it in the place of another object, or labels have selected it again. */
  readonly reappeared?: Reappearance | undefined;
}

/** An object that a list has first shown in the place of another one, or that labels have selected again. */
export interface Reappearance {
  readonly createdAtMs: number;
  /** When it was shown: a key that it lacks may have been removed at any time until then. */
  readonly seenMs: number;
  /** The same by the monotonic clock. */
  readonly observedMs: number;
}

export const noPast: readonly PreviousState[] = [];

/** All its states, oldest first, the current one last. */
export function statesOf({ former, record, fromMs, evidence, reappeared }: SourceEntry): readonly TimedContent[] {
  return [...former, { content: record?.content, fromMs, evidence, reappeared }];
}

/**
 * The index of the state that was seen first since the source was created or came back. Earlier states that nobody saw
 * do not count.
 */
export function firstSeenIndex({ former }: SourceEntry): number {
  const came = former.findLastIndex(({ content }) => content === undefined) + 1;
  return came > 0 && former[came]?.content === 'unknown' ? came + 1 : came;
}

/** The entry without its past, and what is known of an object before it. */
export function withoutPast(entry: SourceEntry): SourceEntry {
  const isFirstForgotten = entry.isFirstForgotten || firstSeenIndex(entry) < entry.former.length;
  return { ...entry, former: noPast, isFirstForgotten, reappeared: undefined };
}

/** The content of a state, if it existed and is known. */
export function knownContent(content: TimedContent['content']): ContentDigest | undefined {
  return typeof content === 'string' || isPastVersion(content) ? undefined : content;
}

/** Whether a read may still reveal the content. */
export function isMetadataOnly(content: TimedContent['content']): content is 'metadata-only' | PastVersion {
  return content === 'metadata-only' || isPastVersion(content);
}

export function isPastVersion(content: TimedContent['content']): content is PastVersion {
  return typeof content === 'object' && 'until' in content;
}

/** The entry, with the times that follow from its contents. */
export function withResolvedTimes(entry: SourceEntry): SourceEntry {
  const now = { ...entry, content: entry.record?.content };
  // If no further content was read, no time can be resolved, however often the source changes.
  const isDue = entry.former.some((state, index) => isOpen(state) && isResolvable(state, entry.former.slice(0, index)));
  if (!isDue && !isResolvable(now, entry.former)) return entry;
  const former: PreviousState[] = [];
  for (const state of entry.former) {
    const time = timeOf(state, former);
    former.push(...beforeRemoval(state, former), { ...state, ...time });
  }
  const time = timeOf(now, former);
  return { ...entry, ...time, former: [...former, ...beforeRemoval(now, former)] };
}

/** Whether everything that its time depends on is known, and the time is not set yet. */
function isResolvable({ content, evidence, reappeared }: TimedContent, former: readonly TimedContent[]): boolean {
  if (!isOpen({ evidence, reappeared })) return false;
  const before = reappeared ? lastOfPredecessor(former, reappeared) : former.at(-1);
  return !(before && (before.evidence || isMetadataOnly(before.content) || isMetadataOnly(content)));
}

/** Whether its time may still change. Most states are settled, and this is asked of all at each write. */
function isOpen({ evidence, reappeared }: Pick<TimedContent, 'evidence' | 'reappeared'>): boolean {
  return evidence !== undefined || reappeared !== undefined;
}

/**
 * The last state before the object appeared: that of another object, or its own before labels deselected it. An edit
 * that nobody saw has left an unknown state after that, which is passed over.
 */
function lastOfPredecessor(former: readonly TimedContent[], { createdAtMs }: Reappearance): TimedContent | undefined {
  const last = former.at(-1);
  const isEditedSince = last?.content === 'unknown' && last.fromMs === createdAtMs;
  return (isEditedSince ? former.slice(0, -1) : former).findLast(({ content }) => content !== undefined);
}

/** What an object held until it was seen, if it may have lost a key since its creation: nobody knows. */
function beforeRemoval(state: TimedContent, former: readonly TimedContent[]): readonly PreviousState[] {
  const { reappeared, fromMs } = state;
  // If it was edited since, that is known already.
  if (!reappeared || !mayHaveLostKeys(state, former) || fromMs > reappeared.createdAtMs) return [];
  return [{ content: 'unknown', fromMs: reappeared.createdAtMs, observedMs: reappeared.observedMs }];
}

function mayHaveLostKeys(state: TimedContent, former: readonly TimedContent[]): boolean {
  if (!state.reappeared || !isResolvable(state, former)) return false;
  const before = lastOfPredecessor(former, state.reappeared);
  if (!before || state.content === undefined) return false;
  const [was, is] = [knownContent(before.content), knownContent(state.content)];
  // A content that nobody read may have had any key.
  return !was || !is || hasLostKeys(was, is);
}

/** A removal leaves no time in managedFields. Of a source with too many keys nobody knows which of them differ. */
export function hasLostKeys(before: ContentDigest, now: ContentDigest): boolean {
  return now.differingKeys(before).some((key) => key === everyKey || now.key(key) === absent);
}

function timeOf(state: TimedContent, former: readonly TimedContent[]): Omit<TimedContent, 'content'> {
  const { content, fromMs, evidence, reappeared } = state;
  if (!isResolvable(state, former)) return { fromMs, evidence, reappeared };
  if (reappeared) {
    const laterMs = mayHaveLostKeys(state, former) ? reappeared.seenMs : fromMs;
    return { fromMs: Math.max(fromMs, laterMs), evidence, reappeared: undefined };
  }
  const before = former.at(-1);
  const [was, is] = [knownContent(before?.content), knownContent(content)];
  if (!evidence) return { fromMs };
  // Unknown content may have been stored at any time since the last write that was seen.
  const earliestMs = content === 'unknown' ? Math.min(fromMs, evidence.formerMs) : fromMs;
  if (!before || !was || !is) return { fromMs: earliestMs, evidence: undefined };
  // If the content is unchanged, for example after a write of labels, so is its time.
  return { fromMs: is.equals(was) ? before.fromMs : changedAtMs(evidence, was, is), evidence: undefined };
}
