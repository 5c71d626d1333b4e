import { budgets, isLongerThan } from '../budgets';
import { absent, digestLength, type ContentDigest } from '../sources/content-digest';
import { RerollError } from '../errors';
import { isObject } from '../kubernetes/json-value';
import type { SourceId } from '../sources/source';

/**
 * What a baseline records for one source: the digest of the whole content, the digest of each key in use, or {@link
 * absent}.
 */
export type Recorded = string | ReadonlyMap<string, string>;

/**
 * The state of its sources that a workload's pods are known to run with. It is kept on the workload itself, as compact
 * JSON: `{"v":1,"n":3,"key":"…","uid":"…","sources":{"cm/app":"…","secret/db":{"password":"…"},"cm/gone":"-"}}`.
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
  return {
    sequence,
    keyId,
    ...(uid !== undefined && { uid }),
    sources: new Map(Object.entries(sources).map(([id, recorded]) => [id, parseRecorded(id, recorded)])),
  };
}

/** Sources and keys are sorted, so the same baseline always gives the same text. */
export function formatBaseline(baseline: Baseline): string {
  const sources = sortedObject(baseline.sources, (recorded) =>
    typeof recorded === 'string' ? recorded : sortedObject(recorded, (digest) => digest),
  );
  return JSON.stringify({ v: version, n: baseline.sequence, key: baseline.keyId, uid: baseline.uid, sources });
}

/** Whether the baseline was written for the object with this uid. A baseline without a uid counts as written for it. */
export function isWrittenFor({ uid }: Baseline, objectUid: string | undefined): boolean {
  return uid === undefined || uid === objectUid;
}

/** The baseline without its uid, for an object under creation: the API server has not assigned a uid yet. */
export function withoutUid({ sequence, keyId, sources }: Baseline): Baseline {
  return { sequence, keyId, sources };
}

/**
 * What to record for a workload that uses `keys` of `content`. Undefined content means that the source does not exist.
 */
export function recordedOf(content: ContentDigest | undefined, keys: 'all' | readonly string[]): Recorded {
  if (content === undefined) return absent;
  return keys === 'all' ? content.whole() : new Map(keys.map((key) => [key, content.key(key)]));
}

/** A digest that no content has. */
const noContents = 'A'.repeat(digestLength);

/** A source that has changed since it was recorded, or since the workload came to use it. */
interface OwedSource {
  readonly id: SourceId;
  /** Its state then, if it is not recorded and still known. */
  readonly former?: Recorded | undefined;
}

/**
 * The baseline to write while a restart is owed that may not begin yet. It records everything but the changes: these
 * stay owed, however long they wait and whichever process restarts the workload.
 */
export function owingBaseline(next: Baseline, before: Baseline | undefined, owed: readonly OwedSource[]): Baseline {
  const known = before?.keyId === next.keyId ? before.sources : undefined;
  const previous = owed.map(({ id, former }) => [id, former ?? known?.get(id) ?? noContents] as const);
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
  return sameMap(left, right, (recorded, other) =>
    typeof recorded === 'string' || typeof other === 'string'
      ? recorded === other
      : sameMap(recorded, other, (digest, otherDigest) => digest === otherDigest),
  );
}

function sameMap<T>(
  left: ReadonlyMap<string, T>,
  right: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other === undefined || !same(value, other)) return false;
  }
  return true;
}

function parseRecorded(id: string, recorded: unknown): Recorded {
  if (typeof recorded === 'string' && digestPattern.test(recorded)) return recorded;
  if (isObject(recorded)) {
    const digests = new Map<string, string>();
    for (const [key, digest] of Object.entries(recorded)) {
      if (typeof digest !== 'string' || !digestPattern.test(digest)) break;
      digests.set(key, digest);
    }
    if (digests.size === Object.keys(recorded).length) return digests;
  }
  throw new UnreadableBaselineError(`its entry ${JSON.stringify(id.slice(0, 80))} is not a digest`);
}

function sortedObject<T, U>(map: ReadonlyMap<string, T>, convert: (value: T) => U): Record<string, U> {
  const names = [...map.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, convert(map.get(name) as T)]));
}
