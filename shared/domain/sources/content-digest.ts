import { hash } from 'node:crypto';
import { BoundedMap } from '../bounded-map';
import { budgets } from '../budgets';
import { framed, KeyedHash } from './keyed-hash';
import type { SourceRef } from './source';

/** Length of one digest as it is written: 128 bits in base64url. */
export const digestLength = 22;
const digestBytes = 16;

/** Recorded instead of a digest if a source or a key does not exist. */
export const absent = '-';

/** The content of a source: the raw bytes of each key of `data` and `binaryData`, in any order. */
export type SourceContent = Iterable<readonly [string, Buffer]>;

/** Content in an encoding of the API server, which need not be decoded to be digested. */
export interface EncodedContent extends SourceContent {
  /** The number of keys, without reading them. */
  keyCount(): number;
  /** The fields with the content. The same content has the same bytes in one encoding. */
  encoded(): Buffer;
}

/**
 * What is left of the keys of a content without what its readers do not see, such as white space. A key that cannot be
 * reduced like that has no form.
 */
export type CanonicalForms = (content: SourceContent) => ReadonlyMap<string, Buffer>;

/** Represents all keys of a source that has too many to distinguish them; no key can have this name. */
export const everyKey = '*';

/**
 * Digests of one source: one digest per key, in the order of the key names.
 *
 * All digests are one string, and the names are one shared array. A Map of strings would take five times the memory,
 * and a cluster has a hundred thousand sources.
 */
export class ContentDigest {
  readonly keyNames: readonly string[];
  /** The same content under the previous digest key, if the digest key has been rotated while the process ran. */
  readonly former: ContentDigest | undefined;
  /**
   * Digests of the canonical forms of its keys, for a source that is compared parsed. A key without such a form has the
   * digest of its bytes.
   */
  readonly parsed: ContentDigest | undefined;
  /** 16 bytes for each key, one byte per character. */
  readonly digests: string;
  /** Computed when it is first asked for: one decision compares it several times. */
  #whole: string | undefined;

  constructor(
    keyNames: readonly string[],
    digests: string,
    {
      former,
      parsed,
    }: { readonly former?: ContentDigest | undefined; readonly parsed?: ContentDigest | undefined } = {},
  ) {
    this.keyNames = keyNames;
    this.former = former;
    this.parsed = parsed;
    this.digests = digests;
  }

  /** Reads written digests: names and {@link ContentDigest.key}, in any order. */
  static of(entries: readonly (readonly [name: string, digest: string])[], parsed?: ContentDigest): ContentDigest {
    const ordered = entries.toSorted(([left], [right]) => byCodeUnits(left, right));
    return new ContentDigest(
      ordered.map(([name]) => name),
      ordered.map(([, digest]) => Buffer.from(digest, 'base64url').toString('latin1')).join(''),
      { parsed },
    );
  }

  /** Inverse of {@link of}. */
  entries(): readonly (readonly [name: string, digest: string])[] {
    return this.keyNames.map((name) => [name, this.key(name)]);
  }

  /** The memory that it retains, without the names that it shares with others. */
  get retainedBytes(): number {
    return this.digests.length + (this.former?.retainedBytes ?? 0) + (this.parsed?.retainedBytes ?? 0);
  }

  /** The source has too many keys to distinguish them: one digest of its whole content represents each of them. */
  get isCoarse(): boolean {
    return this.keyNames.length === 1 && this.keyNames[0] === everyKey;
  }

  /** Digest of one key, or {@link absent}. */
  key(name: string): string {
    return this.#written(this.isCoarse ? 0 : indexIn(this.keyNames, name));
  }

  /** Digest of all keys together: names and contents. */
  whole(): string {
    this.#whole ??= this.#computeWhole();
    return this.#whole;
  }

  #computeWhole(): string {
    const names = this.keyNames.map(framed);
    // Hashes the written form: baselines on workloads hold this digest, so it must not change.
    const digests = this.keyNames.map((_name, index) => this.#written(index)).join('');
    const all = Buffer.concat([...names, Buffer.from(digests, 'latin1')]);
    return hash('sha256', all, 'buffer').toString('base64url', 0, digestBytes);
  }

  /**
   * Names of the keys that only one of the two has, or whose contents differ; sorted. {@link everyKey} if the keys are
   * not distinguished.
   */
  differingKeys(other: ContentDigest): readonly string[] {
    const [left, right] = underOneKey(this, other);
    if (left.isCoarse || right.isCoarse) return left.equals(right) ? [] : [everyKey];
    const differing: string[] = [];
    let [at, otherAt] = [0, 0];
    // Both lists are sorted, so each name is visited once.
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

/** The index in a sorted list, or -1. */
function indexIn(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byCodeUnits(names[middle] ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return names[low] === name ? low : -1;
}

/**
 * Content seen before a key rotation has one digest, and content seen since has both: picks the pair under the same
 * key.
 */
function underOneKey(left: ContentDigest, right: ContentDigest): readonly [ContentDigest, ContentDigest] {
  if (left.former && !right.former) return [left.former, right];
  if (right.former && !left.former) return [left, right.former];
  return [left, right];
}

/**
 * Digests content under the digest key, so that a reader of a workload learns nothing from its digests. A plain hash of
 * a six-digit PIN is cracked in a second.
 */
export class ContentDigester {
  /** Identifies the digest key without revealing it. A baseline written under an unknown key cannot be compared. */
  readonly keyId: string;
  readonly #keyed: KeyedHash;
  readonly #former: ContentDigester | undefined;
  readonly forms: CanonicalForms | undefined;
  readonly #sharedKeyNames = new BoundedMap<string, readonly string[]>({
    maxBytes: budgets.keySetBytes,
    maxOwnerBytes: budgets.keySetNamespaceBytes,
  });

  /**
   * With `former`, content is digested under that key too, so that it can be compared with older digests. Without
   * `forms`, nothing is compared parsed.
   */
  constructor(key: Buffer, former?: ContentDigester, forms: CanonicalForms | undefined = former?.forms) {
    this.#keyed = new KeyedHash(key);
    this.#former = former;
    this.forms = forms;
    this.keyId = Buffer.from(this.#keyed.of([], Buffer.from('reroll key id')), 'latin1')
      .toString('base64url')
      .slice(0, 8);
  }

  /**
   * `content` is iterated more than once if it has too many keys, or if the digest key has been rotated. With more than
   * {@link budgets.sourceKeysRead} keys, the digest of an {@link EncodedContent} depends on its encoding.
   * `isParsed`: it has digests of its canonical forms, too.
   */
  digest(source: SourceRef, content: SourceContent | EncodedContent, isParsed = false): ContentDigest {
    const { kind, namespace, name } = source;
    // An iterator that can run only once is collected first; anything else is not copied.
    const entries = (content[Symbol.iterator]() as unknown) === content ? [...content] : content;
    const former = this.#former?.digest(source, entries, isParsed);
    // Tens of thousands of keys are counted at once: to digest the first ones only to find that there are too many
    // would take longer than the rest.
    const keyCount = 'encoded' in content ? content.keyCount() : 0;
    const coarse = (): ContentDigest =>
      new ContentDigest(coarseNames, this.#wholeOf([kind, namespace, name], entries, keyCount), { former });
    if (keyCount > budgets.sourceKeys) return coarse();
    let digests: (readonly [name: string, digest: string])[] = [];
    let [inOrder, nameBytes] = [true, 0];
    for (const [key, value] of entries) {
      const last = digests.at(-1);
      inOrder &&= last === undefined || byCodeUnits(last[0], key) < 0;
      nameBytes += key.length;
      if (digests.length === budgets.sourceKeys || nameBytes > budgets.sourceKeyNameBytes) return coarse();
      digests.push([key, this.#keyed.of([kind, namespace, name, key], value).slice(0, digestBytes)]);
    }
    // The API server sends sorted keys in protobuf; other encodings need not.
    if (!inOrder) digests = sorted(digests);
    const keyNames = this.#share(
      digests.map(([key]) => key),
      nameBytes,
      namespace,
    );
    const raw = digests.map(([, digest]) => digest).join('');
    const canonical = isParsed ? this.forms?.(entries) : undefined;
    if (!canonical) return new ContentDigest(keyNames, raw, { former });
    const ofForms = digests.map(([key, digest]) => {
      const form = canonical.get(key);
      return form ? this.#keyed.of([kind, namespace, name, key, 'parsed'], form).slice(0, digestBytes) : digest;
    });
    const parsed = new ContentDigest(keyNames, ofForms.join(''), { former: former?.parsed });
    return new ContentDigest(keyNames, raw, { former, parsed });
  }

  #wholeOf(source: readonly string[], content: SourceContent | EncodedContent, keyCount: number): string {
    if (!('encoded' in content) || keyCount <= budgets.sourceKeysRead) return this.#coarse(source, content);
    return this.#keyed.of([...source, everyKey, 'encoded'], content.encoded()).slice(0, digestBytes);
  }

  /** One digest of the whole content. It does not depend on the order of the keys, which differs between encodings. */
  #coarse(source: readonly string[], entries: SourceContent): string {
    const hash = this.#keyed.stream([...source, everyKey]);
    let last: string | undefined;
    for (const [key, value] of entries) {
      // JSON.parse puts numeric names first: sort and start again.
      if (last !== undefined && byCodeUnits(last, key) >= 0) return this.#coarse(source, sorted(entries));
      last = key;
      hash.add(key, value);
    }
    return hash.digest().slice(0, digestBytes);
  }

  /** Most sources of a cluster have one of a few sets of keys (`tls.crt`, `tls.key`): they share one array. */
  #share(keyNames: readonly string[], nameBytes: number, namespace: string): readonly string[] {
    const bytes = nameBytes + keyNames.length;
    // No two sources have the same large set.
    if (bytes > budgets.sharedKeySetBytes) return keyNames;
    const joined = keyNames.join('\0');
    const shared = this.#sharedKeyNames.use(joined);
    // Key names contain no NUL, but ids of CSI objects may, and different names could then look the same when joined.
    if (shared) return sameNames(shared, keyNames) ? shared : keyNames;
    this.#sharedKeyNames.set(joined, keyNames, 2 * bytes + keyNames.length * nameHeaderBytes, namespace);
    return keyNames;
  }
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}

/** The overhead of a short string besides its characters, with its slot in an array. */
const nameHeaderBytes = 24;

const coarseNames: readonly string[] = Object.freeze([everyKey]);

/** If a key occurs twice, the last value counts. */
function sorted<Value>(entries: Iterable<readonly [string, Value]>): (readonly [string, Value])[] {
  return [...new Map(entries)].sort(([left], [right]) => byCodeUnits(left, right));
}

/** Digests the content of a source. */
export type SourceDigester = Pick<ContentDigester, 'digest'>;

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A plain digest for texts that are not content, so it needs no key. In base64url, as long as a content digest. */
export function textDigest(text: string): string {
  // A copy: V8 would keep the whole hash for a slice of it, and one is kept for each workload.
  return Buffer.from(hash('sha256', text, 'base64url').slice(0, digestLength)).toString('latin1');
}
