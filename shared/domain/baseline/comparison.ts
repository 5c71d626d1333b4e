import { recordedOf, type Recorded } from './baseline';
import { absent, everyKey, type ContentDigest } from '../sources/content-digest';

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
  readonly keys: 'all' | readonly string[];
  /**
   * The state when the workload came to use the source. It counts for what the baseline does not record, and may
   * contradict a recorded absence.
   */
  readonly inForce: () => InForce | MetadataOnly;
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
  | 'first-seen'
  | 'content-changed'
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
  /** What a restart is owed against, if the baseline does not record it. Only memory tells it. */
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
 * | present  | present | restart if a key in use differs                                                           |
 */
export function compare(input: ComparisonInput): Comparison | MetadataOnly {
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
  return { ...comparison, because, former: atBirth };
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
  const recorded = renewed(recordedOnce, current);
  const now = recordedOf(current, keys);
  if (recorded === absent) {
    if (current === undefined) return { restart: false, because: 'unchanged', recorded };
    if (input.reloadOnCreate)
      return { restart: true, because: 'created', recorded: now, ...keysTold(current.keyNames, current) };
    // Pods that waited for the source have started with its first content. An edit since then is a change like any
    // other.
    const first = input.firstContent() ?? current;
    if (first === 'metadata-only') return first;
    if (first === 'unknown') return { restart: true, because: 'in-doubt', recorded: now };
    const since = compareRecorded(recordedOf(first, keys), input);
    return since === 'metadata-only' || since.restart
      ? since
      : { restart: false, because: 'created-ignored', recorded: now };
  }
  if (current === undefined) {
    return input.reloadOnDelete
      ? { restart: true, because: 'deleted', recorded: absent }
      : { restart: false, because: 'deleted-ignored', recorded };
  }
  if (typeof recorded !== 'string') return comparePerKey(recorded, current, input);
  if (recorded === current.whole()) return { restart: false, because: 'unchanged', recorded: now };
  const former = input.formerContent(recorded);
  if (former === 'metadata-only') return former;
  if (keys === 'all') {
    return {
      restart: true,
      because: 'content-changed',
      recorded: now,
      ...keysTold(former?.differingKeys(current), current),
    };
  }
  // The workload used the whole content and now uses some of its keys. Only the former content shows which keys
  // changed.
  if (!former) return { restart: true, because: 'in-doubt', recorded: now };
  return comparePerKey(new Map(keys.map((key) => [key, former.key(key)])), current, input);
}

/**
 * Compares key by key. If the workload did not use a key before, the edit that added the key rolled the pods. Such a
 * key is compared with the state in force at that edit.
 */
function comparePerKey(
  recorded: ReadonlyMap<string, string>,
  current: ContentDigest,
  input: ComparisonInput,
): Comparison | MetadataOnly {
  const now = recordedOf(current, input.keys);
  const isAdded = input.keys === 'all' || input.keys.some((key) => !recorded.has(key));
  const inForce = isAdded ? input.inForce() : { content: undefined };
  if (inForce === 'metadata-only') return inForce;
  if (inForce === 'unknown') return { restart: true, because: 'in-doubt', recorded: now };
  const then = inForce.content ?? current;
  const inUse = input.keys === 'all' ? [...recorded.keys(), ...then.keyNames, ...current.keyNames] : input.keys;
  const before = renewedKeys(new Map(inUse.map((key) => [key, recorded.get(key) ?? then.key(key)])), current);
  const changedKeys = [...before.keys()].filter((key) => before.get(key) !== current.key(key)).sort();
  return changedKeys.length === 0
    ? { restart: false, because: 'unchanged', recorded: now }
    : { restart: true, because: 'content-changed', recorded: now, ...keysTold(changedKeys, current) };
}

function keysTold(
  changedKeys: readonly string[] | undefined,
  current: ContentDigest,
): Pick<Comparison, 'changedKeys' | 'tooManyKeys'> {
  if (current.isCoarse) return { tooManyKeys: true };
  // The source had too many keys before and has few now, so it is not known which of them differ.
  return changedKeys === undefined || changedKeys.includes(everyKey) ? {} : { changedKeys };
}

/** Converts digests under the previous digest key to digests under the current one, where the content is the same. */
function renewed(recorded: Recorded, current: ContentDigest | undefined): Recorded {
  if (!current?.former) return recorded;
  if (typeof recorded !== 'string') return renewedKeys(recorded, current);
  return recorded === current.former.whole() ? current.whole() : recorded;
}

function renewedKeys(recorded: ReadonlyMap<string, string>, current: ContentDigest): ReadonlyMap<string, string> {
  const { former } = current;
  if (!former) return recorded;
  return new Map([...recorded].map(([key, digest]) => [key, digest === former.key(key) ? current.key(key) : digest]));
}
