import { createHash } from 'node:crypto';
import { framed, KeyedHash } from './keyed-hash';
import type { SourceKind } from './source';

/** Characters of one digest where it is written: 128 bits in base64url. */
export const digestLength = 22;
const digestBytes = 16;

/** Stands where a source or a key does not exist. */
export const absent = '-';

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

  /** Digest of one key, or {@link absent}. */
  key(name: string): string {
    const index = this.keyNames.indexOf(name);
    if (index < 0) return absent;
    const digest = this.digests.slice(index * digestBytes, (index + 1) * digestBytes);
    return Buffer.from(digest, 'latin1').toString('base64url');
  }

  /** Digest of all keys together: names and contents. */
  whole(): string {
    const hash = createHash('sha256');
    for (const name of this.keyNames) hash.update(framed(name));
    // As they are written: what workloads keep was made of that, and must be what it was.
    for (const name of this.keyNames) hash.update(this.key(name));
    return hash.digest().toString('base64url', 0, digestBytes);
  }

  /** Names of the keys that only one of the two has, or whose contents differ; sorted. */
  differingKeys(other: ContentDigest): readonly string[] {
    const [left, right] = underOneKey(this, other);
    const names = new Set([...left.keyNames, ...right.keyNames]);
    return [...names].filter((name) => left.key(name) !== right.key(name)).sort();
  }

  equals(other: ContentDigest): boolean {
    const [left, right] = underOneKey(this, other);
    return (
      left.digests === right.digests &&
      left.keyNames.length === right.keyNames.length &&
      left.keyNames.every((name, index) => name === right.keyNames[index])
    );
  }
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
  readonly #sharedKeyNames = new Map<string, readonly string[]>();

  /** With `former`, content is digested under its key too, so that it can be compared with what was digested before. */
  constructor(key: Buffer, former?: ContentDigester) {
    this.#keyed = new KeyedHash(key);
    this.#former = former;
    this.keyId = Buffer.from(this.#keyed.of([], Buffer.from('reroll key id')), 'latin1')
      .toString('base64url')
      .slice(0, 8);
  }

  /** `content` holds the raw bytes of each key of `data` and `binaryData`, in any order. */
  digest(
    kind: SourceKind,
    namespace: string,
    name: string,
    content: Iterable<readonly [string, Buffer]>,
  ): ContentDigest {
    // Content is dropped as it streams by, unless it is wanted twice.
    const entries = this.#former ? [...content] : content;
    let digests: [name: string, digest: string][] = [];
    let inOrder = true;
    for (const [key, value] of entries) {
      const last = digests.at(-1);
      inOrder &&= last === undefined || byCodeUnits(last[0], key) < 0;
      digests.push([key, this.#keyed.of([kind, namespace, name, key], value).slice(0, digestBytes)]);
    }
    // As the API server writes them in protobuf, and nobody else has to. Of a key that comes twice, the last counts.
    if (!inOrder) digests = [...new Map(digests)].sort(([left], [right]) => byCodeUnits(left, right));
    const former = this.#former?.digest(kind, namespace, name, entries);
    const keyNames = this.#share(digests.map(([key]) => key));
    return new ContentDigest(keyNames, digests.map(([, digest]) => digest).join(''), former);
  }

  /** Most sources of a cluster have one of few sets of keys (`tls.crt`, `tls.key`): one array serves them all. */
  #share(keyNames: readonly string[]): readonly string[] {
    const joined = keyNames.join('/');
    const shared = this.#sharedKeyNames.get(joined);
    if (shared) return shared;
    if (this.#sharedKeyNames.size >= maxSharedKeyNames) this.#sharedKeyNames.clear();
    this.#sharedKeyNames.set(joined, keyNames);
    return keyNames;
  }
}

/** Digests what a source holds. */
export type SourceDigester = Pick<ContentDigester, 'digest'>;

const maxSharedKeyNames = 4096;

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
