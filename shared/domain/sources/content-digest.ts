import { createHash } from 'node:crypto';
import { BoundedMap } from '../bounded-map';
import { budgets } from '../budgets';
import { framed, KeyedHash } from './keyed-hash';
import type { SourceKind } from './source';

/** Characters of one digest where it is written: 128 bits in base64url. */
export const digestLength = 22;
const digestBytes = 16;

/** Stands where a source or a key does not exist. */
export const absent = '-';

/** Stands for all keys of a source that has too many to tell them apart; no key can have this name. */
export const everyKey = '*';

/**
 * Digests of one source, a digest for each key, in the order of the key names.
 *
 * The digests are one string and the names one shared array: a Map of strings would cost five times the memory, and a
 * cluster has a hundred thousand sources.
 */
export class ContentDigest {
  readonly keyNames: readonly string[];
  /** The same content under the digest key before this one, where the key has been changed while the process ran. */
  readonly former: ContentDigest | undefined;
  /** 16 bytes for each key, one byte a character. */
  readonly digests: string;

  constructor(keyNames: readonly string[], digests: string, former?: ContentDigest) {
    this.keyNames = keyNames;
    this.former = former;
    this.digests = digests;
  }

  /** Of digests as they are written: names and {@link ContentDigest.key}, in any order. */
  static of(entries: readonly (readonly [name: string, digest: string])[]): ContentDigest {
    const ordered = entries.toSorted(([left], [right]) => byCodeUnits(left, right));
    return new ContentDigest(
      ordered.map(([name]) => name),
      ordered.map(([, digest]) => Buffer.from(digest, 'base64url').toString('latin1')).join(''),
    );
  }

  /** What it keeps, less the names that it shares with others. */
  get retainedBytes(): number {
    return this.digests.length + (this.former?.retainedBytes ?? 0);
  }

  /** The source has more keys than are told apart: its content has one digest, which stands for each of them. */
  get isCoarse(): boolean {
    return this.keyNames.length === 1 && this.keyNames[0] === everyKey;
  }

  /** Digest of one key, or {@link absent}. */
  key(name: string): string {
    return this.#written(this.isCoarse ? 0 : indexIn(this.keyNames, name));
  }

  /** Digest of all keys together: names and contents. */
  whole(): string {
    const names = this.keyNames.map(framed);
    // As they are written: what workloads keep was made of that, and must be what it was.
    const digests = this.keyNames.map((_name, index) => this.#written(index)).join('');
    const all = Buffer.concat([...names, Buffer.from(digests, 'latin1')]);
    return createHash('sha256').update(all).digest().toString('base64url', 0, digestBytes);
  }

  /**
   * Names of the keys that only one of the two has, or whose contents differ; sorted. Of content whose keys are not told
   * apart, {@link everyKey}.
   */
  differingKeys(other: ContentDigest): readonly string[] {
    const [left, right] = underOneKey(this, other);
    if (left.isCoarse || right.isCoarse) return left.equals(right) ? [] : [everyKey];
    const differing: string[] = [];
    let [at, otherAt] = [0, 0];
    // Both are in order: each name is looked at once.
    while (at < left.keyNames.length || otherAt < right.keyNames.length) {
      const [name, otherName] = [left.keyNames[at], right.keyNames[otherAt]];
      const isFirst = otherName === undefined || (name !== undefined && byCodeUnits(name, otherName) <= 0);
      const isSecond = name === undefined || (otherName !== undefined && byCodeUnits(otherName, name) <= 0);
      const isSame = isFirst && isSecond && left.#raw(at) === right.#raw(otherAt);
      if (!isSame) differing.push((isFirst ? name : otherName) ?? '');
      if (isFirst) at++;
      if (isSecond) otherAt++;
    }
    return differing;
  }

  equals(other: ContentDigest): boolean {
    const [left, right] = underOneKey(this, other);
    return left.digests === right.digests && sameNames(left.keyNames, right.keyNames);
  }

  #raw(index: number): string {
    return this.digests.slice(index * digestBytes, (index + 1) * digestBytes);
  }

  #written(index: number): string {
    return index < 0 ? absent : Buffer.from(this.#raw(index), 'latin1').toString('base64url');
  }
}

/** In a list that is in order; -1: it is not there. */
function indexIn(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byCodeUnits(names[middle] ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return names[low] === name ? low : -1;
}

/** What was seen before a change of the key has one digest, and what was seen since has both. */
function underOneKey(left: ContentDigest, right: ContentDigest): readonly [ContentDigest, ContentDigest] {
  if (left.former && !right.former) return [left.former, right];
  if (right.former && !left.former) return [left, right.former];
  return [left, right];
}

/**
 * Digests content under the install's key, so that a digest on a workload tells nothing to who reads it: a plain hash
 * of a six-digit PIN falls in a second.
 */
export class ContentDigester {
  /** Names the key without telling it: a baseline written under another key is unknown. */
  readonly keyId: string;
  readonly #keyed: KeyedHash;
  readonly #former: ContentDigester | undefined;
  readonly #sharedKeyNames = new BoundedMap<string, readonly string[]>({
    maxBytes: budgets.keySetBytes,
    maxOwnerBytes: budgets.keySetNamespaceBytes,
  });

  /** With `former`, content is digested under its key too, so that it can be compared with what was digested before. */
  constructor(key: Buffer, former?: ContentDigester) {
    this.#keyed = new KeyedHash(key);
    this.#former = former;
    this.keyId = Buffer.from(this.#keyed.of([], Buffer.from('reroll key id')), 'latin1')
      .toString('base64url')
      .slice(0, 8);
  }

  /**
   * `content` holds the raw bytes of each key of `data` and `binaryData`, in any order. It is gone through more than once
   * where it has too many keys, or the digest key has been changed.
   */
  digest(
    kind: SourceKind,
    namespace: string,
    name: string,
    content: Iterable<readonly [string, Buffer]>,
  ): ContentDigest {
    // What can be gone through but once is collected; of all else no byte is kept.
    const entries = (content[Symbol.iterator]() as unknown) === content ? [...content] : content;
    const former = this.#former?.digest(kind, namespace, name, entries);
    let digests: (readonly [name: string, digest: string])[] = [];
    let [inOrder, nameBytes] = [true, 0];
    for (const [key, value] of entries) {
      const last = digests.at(-1);
      inOrder &&= last === undefined || byCodeUnits(last[0], key) < 0;
      nameBytes += key.length;
      if (digests.length === budgets.sourceKeys || nameBytes > budgets.sourceKeyNameBytes) {
        return new ContentDigest(coarseNames, this.#coarse([kind, namespace, name], entries), former);
      }
      digests.push([key, this.#keyed.of([kind, namespace, name, key], value).slice(0, digestBytes)]);
    }
    // As the API server writes them in protobuf, and nobody else has to.
    if (!inOrder) digests = sorted(digests);
    const keyNames = this.#share(
      digests.map(([key]) => key),
      nameBytes,
      namespace,
    );
    return new ContentDigest(keyNames, digests.map(([, digest]) => digest).join(''), former);
  }

  /** One digest of all that a source holds: the same whatever the order of its keys, as that of its encodings differs. */
  #coarse(source: readonly string[], entries: Iterable<readonly [string, Buffer]>): string {
    const hash = this.#keyed.stream([...source, everyKey]);
    let last: string | undefined;
    for (const [key, value] of entries) {
      // JSON.parse puts numbers first. Sorted, it comes here once more.
      if (last !== undefined && byCodeUnits(last, key) >= 0) return this.#coarse(source, sorted(entries));
      last = key;
      hash.add(key, value);
    }
    return hash.digest().slice(0, digestBytes);
  }

  /** Most sources of a cluster have one of few sets of keys (`tls.crt`, `tls.key`): one array serves them all. */
  #share(keyNames: readonly string[], nameBytes: number, namespace: string): readonly string[] {
    const bytes = nameBytes + keyNames.length;
    // Of a large set there are no two.
    if (bytes > budgets.sharedKeySetBytes) return keyNames;
    const joined = keyNames.join('\0');
    const shared = this.#sharedKeyNames.use(joined);
    // No key holds a zero, but ids of CSI objects may hold anything: other names may look the same in one piece.
    if (shared) return sameNames(shared, keyNames) ? shared : keyNames;
    this.#sharedKeyNames.set(joined, keyNames, 2 * bytes + keyNames.length * nameHeaderBytes, namespace);
    return keyNames;
  }
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}

/** What a short string takes besides its characters, with its place in an array. */
const nameHeaderBytes = 24;

const coarseNames: readonly string[] = Object.freeze([everyKey]);

/** Of a key that comes twice, the last counts. */
function sorted<Value>(entries: Iterable<readonly [string, Value]>): (readonly [string, Value])[] {
  return [...new Map(entries)].sort(([left], [right]) => byCodeUnits(left, right));
}

/** Digests what a source holds. */
export type SourceDigester = Pick<ContentDigester, 'digest'>;

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
