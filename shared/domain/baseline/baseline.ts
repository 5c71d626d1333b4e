import { budgets, isLongerThan } from '../budgets';
import { absent, digestLength } from '../sources/content-digest';
import { RerollError } from '../errors';
import { isObject, listOf, objectOf, textOf } from '../kubernetes/json-value';
import type { SourceId } from '../sources/source';
import {
  certain,
  detailed,
  inDoubt,
  isInDoubt,
  noContents,
  sameRecorded,
  type DetailedRecord,
  type Recorded,
  type RecordedDigests,
} from './recorded';

/**
 * The state of its sources that a workload's pods are known to run with. It is kept on the workload itself, as compact
 * JSON: `{"v":1,"n":3,"key":"…","uid":"…","sources":{"cm/app":"…","secret/db":{"password":"…"},"cm/gone":"-"}}`.
 *
 * If not every change of a source counts, `filters` and `parsed` say so beside `sources`, with the same ids, and `lists`
 * has the text of each filter, by its id. `inDoubt` lists the sources that pods may have read otherwise. Older versions
 * do not read these, and what they read in `sources` is a record like any other to them.
 */
export interface Baseline {
  /** Counts Reroll's writes to this workload. An older number means an old copy: a rollback or a restored backup. */
  readonly sequence: number;
  /** The digest key under which the digests were made. */
  readonly keyId: string;
  /**
   * The object that it was written for. A copy of that object, or a later object with its name, has other pods.
   * Undefined if the object had no uid yet, or if an older version of Reroll wrote it.
   */
  readonly uid?: string;
  readonly sources: ReadonlyMap<SourceId, Recorded>;
}

export class UnreadableBaselineError extends RerollError {
  constructor(why: string) {
    super(`${why}; it is treated as unknown and rewritten from the current state`, {
      code: 'UNREADABLE_BASELINE',
    });
  }
}

const version = 1;

/**
 * More writes than a workload will ever see. A larger number was written by somebody else, and Reroll could not
 * increment it.
 */
const maxSequence = 2 ** 31;
const digestPattern = new RegExp(`^(?:[A-Za-z0-9_-]{${String(digestLength)}}|${absent})$`);
/** The id of a filter of keys. */
const filterPattern = /^[\w-]{8}$/;

/**
 * Inverse of {@link formatBaseline}. Throws {@link UnreadableBaselineError}, whose message quotes nothing from the
 * text.
 */
export function parseBaseline(text: string): Baseline {
  if (isLongerThan(text, budgets.baselineBytes)) {
    throw new UnreadableBaselineError(`it has more than ${budgets.baselineBytes} bytes`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UnreadableBaselineError('it is not JSON');
  }
  if (!isObject(json)) throw new UnreadableBaselineError('it is not a JSON object');
  if (json['v'] !== version) throw new UnreadableBaselineError(`its version is not ${String(version)}`);
  const { n: sequence, key: keyId, uid, sources } = json;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0 || sequence > maxSequence) {
    throw new UnreadableBaselineError('its "n" is not a whole number');
  }
  if (typeof keyId !== 'string') throw new UnreadableBaselineError('its "key" is not a string');
  if (uid !== undefined && typeof uid !== 'string') throw new UnreadableBaselineError('its "uid" is not a string');
  if (!isObject(sources)) throw new UnreadableBaselineError('its "sources" is not an object');
  const [filters, lists, parsed] = [objectOf(json['filters']), objectOf(json['lists']), objectOf(json['parsed'])];
  const doubted = new Set(listOf(json['inDoubt']));
  const read = Object.entries(sources).map(([id, recorded]) => {
    const digests = parseDigests(recorded);
    if (digests === undefined)
      throw new UnreadableBaselineError(`its entry ${JSON.stringify(id.slice(0, 80))} is not a digest`);
    const filter = textOf(filters[id]);
    const list = filter === undefined ? undefined : textOf(lists[filter]);
    const detailed = withDetails(digests, { filter, list, parsed: parseDigests(parsed[id]) });
    return [id, doubted.has(id) ? inDoubt(detailed) : detailed] as const;
  });
  return { sequence, keyId, ...(uid !== undefined && { uid }), sources: new Map(read) };
}

/** Sources and keys are sorted, so the same baseline always gives the same text. */
export function formatBaseline({ sequence, keyId, uid, sources }: Baseline): string {
  const parts = (
    part: Exclude<keyof DetailedRecord, 'inDoubt'>,
  ): Record<string, string | Record<string, string>> | undefined => {
    const found = sortedObject(sources, (recorded) => {
      const value = detailed(recorded)[part];
      return typeof value === 'object' ? sortedObject(value, (digest) => digest) : value;
    });
    return part !== 'digests' && Object.keys(found).length === 0 ? undefined : found;
  };
  const doubted = [...sources].flatMap(([id, recorded]) => (isInDoubt(recorded) ? [id] : []));
  const details = {
    ...{ filters: parts('filter'), lists: listsOf(sources.values()), parsed: parts('parsed') },
    inDoubt: doubted.length === 0 ? undefined : doubted.sort(),
  };
  return JSON.stringify({ v: version, n: sequence, key: keyId, uid, sources: parts('digests'), ...details });
}

/** Whether the baseline was written for the object with this uid. A baseline without a uid counts as written for it. */
export function isWrittenFor({ uid }: Baseline, objectUid: string | undefined): boolean {
  return uid === undefined || uid === objectUid;
}

/** The baseline without its uid, for an object under creation: the API server has not assigned a uid yet. */
export function withoutUid({ sequence, keyId, sources }: Baseline): Baseline {
  return { sequence, keyId, sources };
}

/** The baseline of a workload whose pods have all been replaced. */
export function withoutDoubt(baseline: Baseline): Baseline {
  return { ...baseline, sources: new Map([...baseline.sources].map(([id, recorded]) => [id, certain(recorded)])) };
}

/** A source that has changed since it was recorded, or since the workload came to use it. */
export interface OwedSource {
  readonly id: SourceId;
  /** Its state then, if it is still known and not recorded like that. */
  readonly former?: Recorded | undefined;
  /** Pods may have read something else since. */
  readonly isInDoubt?: boolean;
}

/**
 * The baseline to write while a restart is owed that may not begin yet. It records everything but the changes: these
 * stay owed, however long they wait and whichever process restarts the workload.
 */
export function owingBaseline(next: Baseline, before: Baseline | undefined, owed: readonly OwedSource[]): Baseline {
  const known = before?.keyId === next.keyId ? before.sources : undefined;
  const previous = owed.map((source) => {
    const recorded = source.former ?? known?.get(source.id) ?? noContents;
    return [source.id, source.isInDoubt ? inDoubt(recorded) : recorded] as const;
  });
  return { ...next, sources: new Map([...next.sources, ...previous]) };
}

/**
 * The baseline to write after one whose restart did not take effect. It records the former state of these sources, so
 * that they still cause a restart.
 */
export function revertedBaseline(
  written: Baseline,
  before: Baseline | undefined,
  sources: readonly SourceId[],
): Baseline {
  const next = { ...written, sequence: written.sequence + 1 };
  return owingBaseline(
    next,
    before,
    sources.map((id) => ({ id })),
  );
}

/**
 * Whether two baselines record the same. A source or key that is no longer used makes a difference: if its old digest
 * were kept, it would be compared when a later edit uses it again, although that edit rolls the pods.
 */
export function sameSources(left: ReadonlyMap<SourceId, Recorded>, right: ReadonlyMap<SourceId, Recorded>): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([id, recorded]) => {
    const other = right.get(id);
    return other !== undefined && sameRecorded(recorded, other);
  });
}

/** Undefined if it is none. */
function parseDigests(recorded: unknown): RecordedDigests | undefined {
  if (typeof recorded === 'string') return digestPattern.test(recorded) ? recorded : undefined;
  if (!isObject(recorded)) return undefined;
  const digests = new Map<string, string>();
  for (const [key, digest] of Object.entries(recorded)) {
    if (typeof digest !== 'string' || !digestPattern.test(digest)) return undefined;
    digests.set(key, digest);
  }
  return digests;
}

/** What stands beside the digests of a source. */
type Details = {
  readonly [Part in Exclude<keyof DetailedRecord, 'digests' | 'inDoubt'>]: DetailedRecord[Part] | undefined;
};

/** Details of another form are those of a later version, and what they belong to counts without them. */
function withDetails(digests: RecordedDigests, { filter, list, parsed }: Details): Recorded {
  const isFiltered = filter !== undefined && filterPattern.test(filter) && typeof digests === 'object';
  const isParsed = digests !== absent && parsed !== undefined && typeof parsed === typeof digests;
  if (!isFiltered && !isParsed) return digests;
  const listed = isFiltered && { filter, ...(list !== undefined && { list }) };
  return { digests, ...listed, ...(isParsed && { parsed }) };
}

/** The text of each filter by its id. One filter mostly counts for many sources. */
function listsOf(sources: Iterable<Recorded>): Record<string, string> | undefined {
  const lists = new Map<string, string>();
  for (const recorded of sources) {
    const { filter, list } = detailed(recorded);
    if (filter !== undefined && list !== undefined) lists.set(filter, list);
  }
  return lists.size === 0 ? undefined : sortedObject(lists, (list) => list);
}

/** Leaves out what has no value. */
function sortedObject<T, U>(map: ReadonlyMap<string, T>, convert: (value: T) => U | undefined): Record<string, U> {
  const names = [...map.keys()].sort();
  const entries = names.map((name) => [name, convert(map.get(name) as T)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, U] => entry[1] !== undefined));
}
