import { recordedOf, type Recorded } from './baseline';
import { absent, everyKey, type ContentDigest } from '../sources/content-digest';

/** The state of a source that a workload was created with, or came to use: a content, no such object, or not known. */
export type InForce = { readonly content: ContentDigest | undefined } | 'unknown';

/** The answer rests on a content of which a list has shown the metadata alone: it is to be read first. */
export type MetadataOnly = 'metadata-only';

export interface ComparisonInput {
  /** The workload's baseline for this source; undefined: it holds none. */
  readonly recorded: Recorded | undefined;
  /** Today's content; undefined: the source does not exist. */
  readonly current: ContentDigest | undefined;
  readonly keys: 'all' | readonly string[];
  /** Stands in where nothing is recorded. */
  readonly inForce: () => InForce | MetadataOnly;
  /** What it held when the workload was created, for a baseline that was written before that, by a process that may have lagged. */
  readonly atBirth: () => InForce | MetadataOnly;
  /** A content of the recent past by the digest of its whole, if it is still known. */
  readonly formerContent: (whole: string) => ContentDigest | MetadataOnly | undefined;
  /** What pods found that had to wait for the source: what it was created with, or what it held when they were created. */
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

/** What is to be recorded now, and whether the difference is owed a restart. */
export interface Comparison {
  readonly restart: boolean;
  readonly because: ComparisonReason;
  readonly recorded: Recorded;
  /** Names of the keys that differ; undefined where the former content is no longer known. */
  readonly changedKeys?: readonly string[];
  /** The source has too many keys to tell which of them differ: any change counts for whoever uses one of them. */
  readonly tooManyKeys?: true;
}

/**
 * The one comparison that everything rests on: what a workload's pods run with against what is there now.
 *
 * | recorded | now     | then                                                          |
 * |----------|---------|---------------------------------------------------------------|
 * | nothing  | any     | compared with what was in force when the workload came to use it |
 * | absent   | absent  | unchanged                                                     |
 * | absent   | present | restart only with reload-on-create; recorded either way       |
 * | present  | absent  | restart only with reload-on-delete; else the record stays, so that the same content coming back is no change |
 * | present  | present | restart if a key in use differs                               |
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
  return comparison.because === 'content-changed' ? { ...comparison, because: 'changed-since-birth' } : comparison;
}

/** What had changed before the workload was created is no change to pods that started after that. */
function sinceBirth(comparison: Comparison | MetadataOnly, input: ComparisonInput): Comparison | MetadataOnly {
  if (comparison === 'metadata-only' || !comparison.restart) return comparison;
  const then = input.atBirth();
  if (then === 'metadata-only') return then;
  if (then === 'unknown') return comparison;
  const since = compareRecorded(recordedOf(then.content, input.keys), input);
  return since === 'metadata-only' || !since.restart ? since : comparison;
}

/**
 * Whether a source that was recorded as absent was there when the workload came to use it: the watch of sources may
 * have been behind then, and the pods have read what nobody had seen yet.
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
    // Pods that waited for it have started with what it was created with: an edit since then is a change like any other.
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
  // The workload used the whole content and now uses some keys of it: only the former content can tell which keys changed.
  if (!former) return { restart: true, because: 'in-doubt', recorded: now };
  return comparePerKey(new Map(keys.map((key) => [key, former.key(key)])), current, input);
}

/** A key that the workload did not use before was rolled out by the edit that added it; what counts is the time since. */
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
  // It had too many, and has no more: which of them differ is not known.
  return changedKeys === undefined || changedKeys.includes(everyKey) ? {} : { changedKeys };
}

/** What was recorded under the digest key before this one, in today's digests as far as the content is the same. */
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
