import { createHash, createHmac } from 'node:crypto';
import { objectAt, textOf } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { isOfPodStatus, rotationOf, Witnesses } from './rotations';

/** Plain text by key. */
export type Content = ReadonlyMap<string, string>;

/** A state of a source. Undefined content means that the source did not exist. */
export interface Version {
  readonly revision: number;
  readonly atMs: number;
  readonly content: Content | undefined;
  /** The user who wrote it. `uid` tells apart objects of the same name. */
  readonly user: string;
  readonly uid: string;
}

export function decodedData(object: KubeObject): Content {
  const decode = (text: string): string =>
    object.kind === 'Secret' ? Buffer.from(text, 'base64').toString('utf8') : text;
  const entries = Object.entries(objectAt(object, 'data')).map(([key, value]) => [key, decode(textOf(value))] as const);
  return new Map(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

export function sameContent(left: Content | undefined, right: Content | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}

/** For example `ConfigMap shop/app`. */
export type SourceName = string;

/** Everything that each source ever held, from the server's history. */
export class Contents {
  readonly #versions = new Map<SourceName, Version[]>();
  readonly #writes = new Map<SourceName, WriteRecord[]>();

  readonly #witnesses = new Witnesses();
  /** For each class, what pods had mounted before its first rotation. */
  readonly #unrotated = new Map<SourceName, Content>();
  readonly #isSelected: (object: KubeObject) => boolean;

  /** A source that is not selected counts as nonexistent. */
  constructor(history: readonly WriteRecord[] = [], isSelected: (object: KubeObject) => boolean = () => true) {
    this.#isSelected = isSelected;
    for (const write of history) this.add(write);
  }

  add(write: WriteRecord): void {
    const { kind, key, type, object } = write;
    if (isOfPodStatus(write)) this.#addStatus(write);
    if (kind.kind !== 'ConfigMap' && kind.kind !== 'Secret') return;
    const content = type === 'DELETED' || !this.#isSelected(object) ? undefined : decodedData(object);
    this.#take(`${kind.kind} ${key}`, write, content, object.metadata.uid);
  }

  #addStatus(write: WriteRecord): void {
    this.#witnesses.add(write);
    const rotation = rotationOf(write);
    if (rotation && !this.#unrotated.has(rotation.source)) this.#unrotated.set(rotation.source, rotation.former);
    if (rotation) this.#take(rotation.source, write, rotation.content, rotation.source);
  }

  #take(name: SourceName, write: WriteRecord, content: Content | undefined, uid: string): void {
    const { revision, atMs, user } = write;
    const versions = this.#versions.get(name) ?? [{ revision: 0, atMs: 0, content: undefined, user: '', uid: '' }];
    this.#versions.set(name, versions);
    const writes = this.#writes.get(name) ?? [];
    this.#writes.set(name, writes);
    writes.push(write);
    if (!sameContent(versions.at(-1)?.content, content)) versions.push({ revision, atMs, content, user, uid });
  }

  /**
   * Since when a pod that still exists, or existed at `revision`, has shown what the class was last rotated to. Undefined
   * if no pod shows it.
   */
  witnessedSinceMs(source: SourceName, revision?: number): number | undefined {
    return this.#witnesses.sinceMs(source, this.versions(source).at(-1)?.content, revision);
  }

  /**
   * Whether a class was rotated back to what it held at first. To a process that has not seen what was in between, it
   * was never rotated.
   */
  isRotatedBack(source: SourceName): boolean {
    return sameContent(this.#unrotated.get(source), this.versions(source).at(-1)?.content);
  }

  /** Oldest first. The first version says that the source does not exist. */
  versions(source: SourceName): readonly Version[] {
    return this.#versions.get(source) ?? [];
  }

  /** All writes, even those that left the content unchanged: engines cannot always tell the difference. */
  writes(source: SourceName): readonly WriteRecord[] {
    return this.#writes.get(source) ?? [];
  }

  at(source: SourceName, revision: number): Content | undefined {
    return this.versions(source).findLast((version) => version.revision <= revision)?.content;
  }

  /**
   * Like {@link at}, but what is written within the second of a creation counts as part of the creation. The server
   * keeps whole seconds, so a process that lists the source afterwards cannot know of the edit.
   */
  settledAt(source: SourceName, revision: number): Content | undefined {
    const versions = this.versions(source);
    const index = versions.findLastIndex((version) => version.revision <= revision);
    const version = versions[index];
    if (!version || versions[index - 1]?.content !== undefined) return version?.content;
    const second = Math.floor(version.atMs / 1000);
    return versions.slice(index).findLast(({ atMs }) => Math.floor(atMs / 1000) === second)?.content;
  }

  /** The writes after `fromRevision` and up to `toRevision` that changed content of the keys. */
  changes(source: SourceName, keys: Keys, fromRevision: number, toRevision: number): readonly Version[] {
    const versions = this.versions(source);
    return versions.filter(({ revision, content }, index) => {
      if (revision <= fromRevision || revision > toRevision) return false;
      return !sameKeys(versions[index - 1]?.content, content, keys);
    });
  }
}

export type Keys = 'all' | ReadonlySet<string>;

export function sameKeys(left: Content | undefined, right: Content | undefined, keys: Keys): boolean {
  if (keys === 'all') return sameContent(left, right);
  return [...keys].every((key) => left?.get(key) === right?.get(key));
}

/** The digests as documented, computed with the keys that the install's Secret has held. */
export class Digests {
  readonly #keys: Buffer[] = [];
  readonly #known = new Map<string, string>();

  constructor(key: Buffer) {
    this.add(key);
  }

  /** From now on the install has another key. What was recorded under former keys stays valid. */
  add(key: Buffer): void {
    if (!this.#keys.some((known) => known.equals(key))) this.#keys.push(key);
  }

  /** The digest of the whole content under the newest key. */
  whole(source: SourceName, content: Content | undefined): string {
    return this.#whole(source, content, this.#keys.length - 1);
  }

  /** The digest of one value under the newest key. */
  key(source: SourceName, key: string, value: string | undefined): string {
    return this.#key(source, key, value, this.#keys.length - 1);
  }

  /** Whether `digest` is the digest of the whole content under any of the keys. */
  isWhole(source: SourceName, content: Content | undefined, digest: string): boolean {
    return this.#keys.some((_key, index) => this.#whole(source, content, index) === digest);
  }

  /** Whether `digest` is the digest of this value under any of the keys. */
  isKey(source: SourceName, key: string, value: string | undefined, digest: string | undefined): boolean {
    return this.#keys.some((_key, index) => this.#key(source, key, value, index) === digest);
  }

  #key(source: SourceName, key: string, value: string | undefined, index: number): string {
    if (value === undefined) return '-';
    const id = JSON.stringify([index, source, key, value]);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const [kind = '', namespace = '', name = ''] = source.split(/[ /]/);
    const framed = [kind, namespace, name, key].map(frame);
    const hmac = createHmac('sha256', this.#keys[index] ?? Buffer.alloc(0));
    const digest = short(hmac.update(Buffer.concat(framed)).update(value).digest());
    this.#known.set(id, digest);
    return digest;
  }

  #whole(source: SourceName, content: Content | undefined, index: number): string {
    if (content === undefined) return '-';
    const hash = createHash('sha256');
    for (const key of content.keys()) hash.update(frame(key));
    for (const [key, value] of content) hash.update(this.#key(source, key, value, index));
    return short(hash.digest());
  }
}

function frame(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

function short(digest: Buffer): string {
  return digest.toString('base64url', 0, 16);
}
