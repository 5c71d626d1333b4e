import { absent, everyKey, type ContentDigest } from '../sources/content-digest';
import { isIndistinct, keysThatCount, type CountedKeys } from '../sources/counted-keys';
import { KeyFilter } from '../text/key-filter';
import {
  detailed,
  filterOf,
  isInDoubt,
  noContents,
  recordedOf,
  sameDigests,
  type DetailedRecord,
  type Recorded,
  type RecordedDigests,
} from './recorded';

/**
 * The state of a source when a workload was created or came to use it. Undefined content means that the source did not
 * exist.
 */
export type InForce = { readonly content: ContentDigest | undefined } | 'unknown';

/**
 * The answer depends on something that must be read first, mostly a content of which a list has shown only the
 * metadata.
 */
export type MetadataOnly = 'metadata-only';

export interface ComparisonInput {
  /** What the workload's baseline records for this source; undefined: nothing. */
  readonly recorded: Recorded | undefined;
  /** The current content; undefined: the source does not exist. */
  readonly current: ContentDigest | undefined;
  readonly keys: CountedKeys;
  /**
   * The state when the workload came to use the source. It counts for what the baseline does not record, and may
   * contradict a recorded absence.
   */
  readonly inForce: () => InForce | MetadataOnly;
  /** The state when keys that the baseline does not record began to count. */
  readonly whenCounted: () => InForce | MetadataOnly;
  /**
   * The state when the workload was created, if the baseline was made before that, by a process whose watch may have
   * been behind. `unknown` for any other baseline.
   */
  readonly atBirth: () => InForce | MetadataOnly;
  /** A recent content, found by the digest of the whole, if it is still known. */
  readonly formerContent: (whole: string) => ContentDigest | MetadataOnly | undefined;
  /**
   * The content that pods started with if they had to wait for the source: its content at its creation, or at the
   * workload's creation if that was later. Undefined: the current content.
   */
  readonly firstContent: () => ContentDigest | MetadataOnly | 'unknown' | undefined;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
}

export type ComparisonReason =
  | 'unchanged'
  | 'same-parsed'
  | 'first-seen'
  | 'content-changed'
  | 'changed-back'
  | 'changed-since-birth'
  | 'in-doubt'
  | 'created'
  | 'created-ignored'
  | 'deleted'
  | 'deleted-ignored';

/** What to record now, and whether the difference requires a restart. */
export interface Comparison {
  readonly restart: boolean;
  readonly because: ComparisonReason;
  readonly recorded: Recorded;
  /** What a restart is owed against, if the baseline does not record it like that. Only memory tells it. */
  readonly former?: Recorded;
  /** Names of the keys that differ; undefined if the former content is no longer known. */
  readonly changedKeys?: readonly string[];
  /**
   * The source has too many keys to tell which of them differ, so any change counts for every workload that uses it.
   */
  readonly tooManyKeys?: true;
}

/**
 * Compares what a workload's pods run with to the current content of one source. Every restart rests on this.
 *
 * | recorded | now     | then                                                                                      |
 * |----------|---------|-------------------------------------------------------------------------------------------|
 * | nothing  | any     | compared with the state in force when the workload came to use the source                 |
 * | absent   | absent  | unchanged                                                                                 |
 * | absent   | present | restart with reload-on-create, or if edited since its creation; recorded either way       |
 * | present  | absent  | restart with reload-on-delete; else the record stays, so recreating the same is no change |
 * | present  | present | restart if a key that counts differs; by its bytes, and if both are known, as parsed       |
 * | in doubt | present | restart                                                                                   |
 */
export function compare(input: ComparisonInput): Comparison | MetadataOnly {
  const comparison = compareAll(input);
  if (comparison === 'metadata-only' || comparison.restart || !isInDoubt(input.recorded) || !input.current)
    return comparison;
  return { restart: true, because: 'changed-back', recorded: recordedOf(input.current, input.keys) };
}

function compareAll(input: ComparisonInput): Comparison | MetadataOnly {
  const contradicted = input.recorded === absent && wasThere(input);
  if (contradicted === 'metadata-only') return contradicted;
  if (input.recorded !== undefined && !contradicted) return sinceBirth(compareRecorded(input.recorded, input), input);
  const inForce = input.inForce();
  if (inForce === 'metadata-only') return inForce;
  if (inForce === 'unknown') {
    if (input.current === undefined) {
      const restart = input.reloadOnDelete;
      return { restart, because: restart ? 'deleted' : 'deleted-ignored', recorded: absent };
    }
    return { restart: true, because: 'in-doubt', recorded: recordedOf(input.current, input.keys) };
  }
  const atBirth = recordedOf(inForce.content, input.keys);
  const comparison = compareRecorded(atBirth, input);
  if (comparison === 'metadata-only') return comparison;
  if (comparison.because === 'unchanged') {
    return contradicted ? compareRecorded(absent, input) : { ...comparison, because: 'first-seen' };
  }
  if (!comparison.restart) return comparison;
  const because = comparison.because === 'content-changed' ? 'changed-since-birth' : comparison.because;
  return { ...comparison, because, former: comparison.former ?? atBirth };
}

/** Drops a restart for a change from before the workload was created: its pods started after that change. */
function sinceBirth(comparison: Comparison | MetadataOnly, input: ComparisonInput): Comparison | MetadataOnly {
  if (comparison === 'metadata-only' || !comparison.restart) return comparison;
  const then = input.atBirth();
  if (then === 'metadata-only') return then;
  if (then === 'unknown') return comparison;
  const since = compareRecorded(recordedOf(then.content, input.keys), input);
  return since === 'metadata-only' || !since.restart ? since : comparison;
}

/**
 * Whether a source that is recorded as absent existed when the workload came to use it. The watch of sources may have
 * been behind when the record was made, so the pods may have read a content that Reroll had not seen yet.
 */
function wasThere({ current, inForce, reloadOnCreate }: ComparisonInput): boolean | MetadataOnly {
  if (current === undefined || reloadOnCreate) return false;
  const then = inForce();
  if (then === 'metadata-only') return then;
  return then !== 'unknown' && then.content !== undefined;
}

function compareRecorded(recordedOnce: Recorded, input: ComparisonInput): Comparison | MetadataOnly {
  const { current, keys } = input;
  const recorded = renewed(detailed(recordedOnce), current);
  const now = recordedOf(current, keys);
  if (recordedOnce === absent) {
    if (current === undefined) return { restart: false, because: 'unchanged', recorded: absent };
    if (input.reloadOnCreate) return created(input, current, now);
    // Pods that waited for the source have started with its first content. An edit since then is a change like any
    // other.
    const first = input.firstContent() ?? current;
    if (first === 'metadata-only') return first;
    if (first === 'unknown') return { restart: true, because: 'in-doubt', recorded: now, former: noContents };
    const former = recordedOf(first, keys);
    const since = compareRecorded(former, input);
    if (since === 'metadata-only') return since;
    return since.restart ? { ...since, former } : { restart: false, because: 'created-ignored', recorded: now };
  }
  if (current === undefined) {
    return input.reloadOnDelete
      ? { restart: true, because: 'deleted', recorded: absent }
      : { restart: false, because: 'deleted-ignored', recorded: recordedOnce };
  }
  const { digests, parsed } = recorded;
  if (typeof digests !== 'string') return comparePerKey({ ...recorded, digests }, current, input);
  if (digests === current.whole()) return { restart: false, because: 'unchanged', recorded: now };
  if (parsed !== undefined && parsed === current.parsed?.whole()) return sameParsed(recorded, current, now);
  const former = input.formerContent(digests);
  if (former === 'metadata-only') return former;
  const then = former && detailed(recordedOf(former, keys));
  if (keys === 'all' || isIndistinct(current, keys) || typeof then?.digests === 'string') {
    const differing = former?.differingKeys(current).filter((key) => !isSameParsed(key, former.parsed, current));
    return { restart: true, because: 'content-changed', recorded: now, ...keysTold(differing, current, keys) };
  }
  // The workload used the whole content and now uses some of its keys. Only the former content shows which keys
  // changed.
  if (!then) return { restart: true, because: 'in-doubt', recorded: now };
  const since = comparePerKey({ ...then, digests: then.digests }, current, input);
  return since === 'metadata-only' || !since.restart ? since : { ...since, former: then };
}

function created({ keys }: ComparisonInput, current: ContentDigest, recorded: Recorded): Comparison {
  return { restart: true, because: 'created', recorded, ...keysTold(current.keyNames, current, keys) };
}

/** A record of single keys. */
interface KeyRecord extends DetailedRecord {
  readonly digests: ReadonlyMap<string, string>;
}

/** Lets every key count. */
const everything = new KeyFilter(['*']);

/**
 * Compares key by key. If a key did not count before, the edit that added it to the template rolled the pods, or an edit
 * of a filter has let it count since. Such a key is compared with the state in force at that edit. But the record of a
 * filter is complete: what that filter lets count, and is not recorded, did not exist.
 */
function comparePerKey(record: KeyRecord, current: ContentDigest, input: ComparisonInput): Comparison | MetadataOnly {
  const { keys } = input;
  const now = recordedOf(current, keys);
  const isListed = keys !== 'all' && !(keys instanceof KeyFilter);
  const filter = isListed ? undefined : keys === 'all' ? everything : keys;
  const isComplete = filter !== undefined && record.filter === filter.id;
  const isAdded = !isComplete && (!isListed || keys.some((key) => !record.digests.has(key)));
  const inForce = isAdded ? input.whenCounted() : { content: undefined };
  if (inForce === 'metadata-only') return inForce;
  if (inForce === 'unknown') return { restart: true, because: 'in-doubt', recorded: now };
  if (isAdded && inForce.content === undefined && input.reloadOnCreate) {
    return { ...created(input, current, now), former: absent };
  }
  const then = isComplete ? undefined : (inForce.content ?? current);
  const counted = keysThatCount(isIndistinct(current, keys) && !isListed ? 'all' : keys, [
    ...record.digests.keys(),
    ...(then?.keyNames ?? []),
    ...current.keyNames,
  ]);
  const former = formerRecord(record, { counted, filter, then, current });
  const differing = counted.filter((key) => (former.digests.get(key) ?? absent) !== current.key(key));
  const changedKeys = differing.filter((key) => {
    const parsed = keyOf(former.parsed, key);
    return parsed === undefined || parsed !== current.parsed?.key(key);
  });
  if (changedKeys.length > 0) {
    const told = keysTold(changedKeys.sort(), current, keys);
    // A record of single keys is no larger than that of a filter may be.
    const isKept = !isComplete && !isIndistinct(current, filter ?? keys);
    return { restart: true, because: 'content-changed', recorded: now, ...told, ...(isKept && { former }) };
  }
  if (differing.length > 0) return sameParsed(record, current, now);
  return { restart: false, because: 'unchanged', recorded: now };
}

interface Counted {
  readonly counted: readonly string[];
  /** The filter that lets them count now; undefined: the workload uses them one by one. */
  readonly filter: KeyFilter | undefined;
  /** The content when those began to count that did not before; undefined: all of them did. */
  readonly then: ContentDigest | undefined;
  readonly current: ContentDigest;
}

/**
 * The record, made over to the keys that count now. If a restart has to wait, it is owed against this: only memory tells
 * when a key began to count, and the next edit of the list moves that time.
 */
function formerRecord(record: KeyRecord, { counted, filter, then, current }: Counted): KeyRecord {
  const former = filter && filterOf(record);
  const digests = new Map<string, string>();
  const parsed = new Map<string, string>();
  for (const key of counted) {
    const recorded = record.digests.get(key);
    const begun = recorded === undefined && former?.counts(key) !== true ? then : undefined;
    const digest = recorded ?? begun?.key(key) ?? absent;
    if (digest === absent && filter) continue;
    digests.set(key, renewedKey(digest, key, current));
    const asParsed = keyOf(record.parsed, key) ?? begun?.parsed?.key(key);
    if (asParsed !== undefined) parsed.set(key, renewedKey(asParsed, key, current.parsed));
  }
  return { digests, ...(filter && { filter: filter.id, list: filter.text }), ...(parsed.size > 0 && { parsed }) };
}

/**
 * What differs is not seen by who parses it. The record stays as it is: to write it anew to each user of the source
 * would be work for nothing.
 */
function sameParsed(recorded: DetailedRecord, current: ContentDigest, now: Recorded): Comparison {
  const { filter, parsed } = detailed(now);
  const stays = !current.former && filter === recorded.filter && sameDigests(parsed, recorded.parsed);
  return { restart: false, because: 'same-parsed', recorded: stays ? recorded : now };
}

function isSameParsed(key: string, former: ContentDigest | undefined, current: ContentDigest): boolean {
  return former !== undefined && current.parsed !== undefined && former.key(key) === current.parsed.key(key);
}

function keysTold(
  changedKeys: readonly string[] | undefined,
  current: ContentDigest,
  keys: CountedKeys,
): Pick<Comparison, 'changedKeys' | 'tooManyKeys'> {
  if (current.isCoarse || isIndistinct(current, keys)) return { tooManyKeys: true };
  // The source had too many keys before and has few now, so it is not known which of them differ.
  return changedKeys === undefined || changedKeys.includes(everyKey) ? {} : { changedKeys };
}

/** Converts digests under the previous digest key to digests under the current one, where the content is the same. */
function renewed(recorded: DetailedRecord, current: ContentDigest | undefined): DetailedRecord {
  if (!current?.former) return recorded;
  const parsed = recorded.parsed === undefined ? undefined : renewedDigests(recorded.parsed, current.parsed);
  return { ...recorded, digests: renewedDigests(recorded.digests, current), ...(parsed !== undefined && { parsed }) };
}

/** A record that is kept without a comparison, under the current digest key where the content is the same. */
export function renewedRecord(recorded: Recorded, current: ContentDigest): Recorded {
  const all = detailed(recorded);
  return all === recorded ? renewed(all, current) : renewed(all, current).digests;
}

function renewedDigests(recorded: RecordedDigests, current: ContentDigest | undefined): RecordedDigests {
  if (typeof recorded !== 'string') {
    return new Map([...recorded].map(([key, digest]) => [key, renewedKey(digest, key, current)]));
  }
  return current?.former && recorded === current.former.whole() ? current.whole() : recorded;
}

function keyOf(recorded: RecordedDigests | undefined, key: string): string | undefined {
  return typeof recorded === 'object' ? recorded.get(key) : undefined;
}

function renewedKey(digest: string, key: string, current: ContentDigest | undefined): string {
  return current?.former && digest === current.former.key(key) ? current.key(key) : digest;
}
