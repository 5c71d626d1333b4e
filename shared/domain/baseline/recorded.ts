import { definedFields } from '../defined-fields';
import { absent, digestLength, type ContentDigest } from '../sources/content-digest';
import { isIndistinct, keysThatCount, type CountedKeys } from '../sources/counted-keys';
import { KeyFilter, KeyFilterError, parseKeyFilter } from '../text/key-filter';

type KeyDigests = ReadonlyMap<string, string>;

/** The digest of the whole content, the digest of each key that counts, or {@link absent}. */
export type RecordedDigests = string | KeyDigests;

/** What a baseline records for one source beside digests, or if not every change of it counts. */
export interface DetailedRecord {
  readonly digests: RecordedDigests;
  /** The id of the filter that has let these keys count. A key that it lets count and that is not there did not exist. */
  readonly filter?: string;
  /** The text of that filter, which tells what it let count once another one does. Older versions did not record it. */
  readonly list?: string;
  /** The digests of the parsed content, of the same keys. */
  readonly parsed?: RecordedDigests;
  /**
   * Set if pods may have something else: they started while a restart for another content waited. A content that is
   * changed back to this one needs a restart too.
   */
  readonly inDoubt?: true;
}

/** What a baseline records for one source. */
export type Recorded = RecordedDigests | DetailedRecord;

/** A digest that no content has. */
export const noContents = 'A'.repeat(digestLength);

/**
 * What to record for a workload for which `keys` of `content` count. Undefined content means that the source does not
 * exist.
 */
export function recordedOf(content: ContentDigest | undefined, keys: CountedKeys): Recorded {
  if (content === undefined) return absent;
  const filter = keys instanceof KeyFilter && !isIndistinct(content, keys) ? keys : undefined;
  const counted = keys instanceof KeyFilter && !filter ? 'all' : keys;
  const digests = digestsOf(content, counted);
  if (!filter && !content.parsed) return digests;
  return {
    digests,
    ...(filter && { filter: filter.id, list: filter.text }),
    ...(content.parsed && { parsed: digestsOf(content.parsed, counted) }),
  };
}

/** A record in its one form. */
export function detailed(recorded: Recorded): DetailedRecord {
  return isDetailed(recorded) ? recorded : { digests: recorded };
}

/** The record of a source that pods may have read otherwise. */
export function inDoubt(recorded: Recorded): Recorded {
  // Without the source there is nothing to compare the next content with.
  return recorded === absent || recorded === noContents ? noContents : { ...detailed(recorded), inDoubt: true };
}

/** The record without its doubt. */
export function certain(recorded: Recorded): Recorded {
  if (!isInDoubt(recorded)) return recorded;
  const { digests, filter, list, parsed } = detailed(recorded);
  if (filter === undefined && parsed === undefined) return digests;
  return { digests, ...definedFields({ filter, list, parsed }) };
}

export function isInDoubt(recorded: Recorded | undefined): boolean {
  return recorded !== undefined && detailed(recorded).inDoubt === true;
}

/** The filter of a record; undefined: it has none, or only its id is known. */
export function filterOf({ list }: DetailedRecord): KeyFilter | undefined {
  if (list === undefined) return undefined;
  try {
    return parseKeyFilter(list);
  } catch (error) {
    // Anybody may write a baseline.
    if (error instanceof KeyFilterError) return undefined;
    throw error;
  }
}

/** The id of a filter tells its text, which an older version did not record: that alone is no reason to write. */
export function sameRecorded(left: Recorded, right: Recorded): boolean {
  const [one, other] = [detailed(left), detailed(right)];
  return (
    one.filter === other.filter &&
    one.inDoubt === other.inDoubt &&
    sameDigests(one.digests, other.digests) &&
    sameDigests(one.parsed, other.parsed)
  );
}

export function sameDigests(left: RecordedDigests | undefined, right: RecordedDigests | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  return left.size === right.size && [...left].every(([key, digest]) => right.get(key) === digest);
}

function digestsOf(content: ContentDigest, keys: CountedKeys): RecordedDigests {
  if (keys === 'all') return content.whole();
  return new Map(keysThatCount(keys, content.keyNames).map((key) => [key, content.key(key)]));
}

function isDetailed(recorded: Recorded): recorded is DetailedRecord {
  return typeof recorded === 'object' && 'digests' in recorded;
}
