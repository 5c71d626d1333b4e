import type { Clock } from '../../shared/runtime/clock';
import { byCodeUnits } from './json';
import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';

/** One write, as it was stored. Judges read the list of all writes, because its order is reliable. */
export interface WriteRecord {
  /** The resourceVersion that the write produced. */
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: ResourceKind;
  readonly key: string;
  /** The state after the write. For a delete: the last state, with the delete's resourceVersion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly user: string;
  readonly manager: string;
  readonly verb: string;
  readonly subresource: string | undefined;
  readonly atMs: number;
}

/** Who writes, and by which verb. */
export interface WriteOrigin {
  readonly user: string;
  readonly manager: string;
  readonly verb: string;
  readonly subresource?: string | undefined;
}

interface Table {
  objects: Map<string, KubeObject>;
  /** Keys in etcd's order; undefined when a create, a delete or a restore has made them stale. */
  sortedKeys: readonly string[] | undefined;
  records: WriteRecord[];
}

/** An object's etcd key without the resource prefix: namespaced objects sort by namespace, then name. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The server starts as on an etcd in use: earlier revisions are gone, as they are for a new watch cache. */
const firstRevision = 100;

/** The objects, one revision counter for all of them, and the history of every write. */
export class Store {
  readonly #clock: Clock;
  readonly #tables = new Map<ResourceKind, Table>();
  readonly #history: WriteRecord[] = [];
  readonly #subscribers = new Set<(record: WriteRecord) => void>();
  #revision = firstRevision;
  #compactedRevision = firstRevision;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get revision(): number {
    return this.#revision;
  }

  /** No state below this revision can be read. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get history(): readonly WriteRecord[] {
    return this.#history;
  }

  get(kind: ResourceKind, key: string): KubeObject | undefined {
    return this.#tables.get(kind)?.objects.get(key);
  }

  /** All objects of a kind in the order of their keys. */
  *list(kind: ResourceKind): Generator<KubeObject> {
    const table = this.#table(kind);
    for (const key of sortedKeys(table)) {
      const object = table.objects.get(key);
      if (object !== undefined) yield object;
    }
  }

  count(kind: ResourceKind): number {
    return this.#tables.get(kind)?.objects.size ?? 0;
  }

  /** The objects as they were at `revision`, reconstructed by undoing later writes; sorted by key. */
  listAt(kind: ResourceKind, revision: number): readonly KubeObject[] {
    const { objects, records } = this.#table(kind);
    if (revision >= this.#revision) return [...this.list(kind)];
    const then = new Map(objects);
    for (let index = records.length - 1; index >= 0; index--) {
      const record = records[index];
      if (record === undefined || record.revision <= revision) break;
      if (record.previous === undefined) then.delete(record.key);
      else then.set(record.key, record.previous);
    }
    return [...then].sort(([left], [right]) => byCodeUnits(left, right)).map(([, object]) => object);
  }

  /** Writes of one kind, oldest first. */
  records(kind: ResourceKind): readonly WriteRecord[] {
    return this.#table(kind).records;
  }

  /** Creates or replaces, and returns the object with its new resourceVersion. */
  put(kind: ResourceKind, object: KubeObject, origin: WriteOrigin): KubeObject {
    const table = this.#table(kind);
    const key = storeKey(object.metadata.namespace, object.metadata.name);
    const previous = table.objects.get(key);
    const stored = this.#stamp(object);
    table.objects.set(key, stored);
    if (previous === undefined) table.sortedKeys = undefined;
    this.#record(table, previous === undefined ? 'ADDED' : 'MODIFIED', kind, key, stored, previous, origin);
    return stored;
  }

  /** Removes an object. The last state, which watchers see, carries the revision of the removal. */
  remove(kind: ResourceKind, object: KubeObject, origin: WriteOrigin): KubeObject {
    const table = this.#table(kind);
    const key = storeKey(object.metadata.namespace, object.metadata.name);
    const previous = table.objects.get(key);
    const last = this.#stamp(object);
    table.objects.delete(key);
    table.sortedKeys = undefined;
    this.#record(table, 'DELETED', kind, key, last, previous, origin);
    return last;
  }

  /** Makes earlier revisions unreadable, as etcd's compaction does every five minutes. */
  compact(): void {
    this.#compactedRevision = this.#revision;
  }

  /** Goes back to `revision`: later writes are undone and their resourceVersions reused. {@link history} keeps them. */
  restore(revision: number): void {
    for (const [kind, table] of this.#tables) {
      const objects = this.listAt(kind, revision);
      table.objects = new Map(
        objects.map((object) => [storeKey(object.metadata.namespace, object.metadata.name), object]),
      );
      table.records = table.records.filter((record) => record.revision <= revision);
      table.sortedKeys = undefined;
    }
    this.#revision = revision;
    this.#compactedRevision = Math.min(this.#compactedRevision, revision);
  }

  /** Skips revisions, as if objects that this store does not have were written. */
  passOver(revisions: number): void {
    this.#revision += revisions;
  }

  /** Calls `subscriber` synchronously for every write, in order. Returns a function that unsubscribes. */
  subscribe(subscriber: (record: WriteRecord) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  #stamp(object: KubeObject): KubeObject {
    this.#revision += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
  }

  #record(
    table: Table,
    type: WriteRecord['type'],
    kind: ResourceKind,
    key: string,
    object: KubeObject,
    previous: KubeObject | undefined,
    { user, manager, verb, subresource }: WriteOrigin,
  ): void {
    const atMs = this.#clock.nowMs();
    const record = {
      revision: this.#revision,
      type,
      kind,
      key,
      object,
      previous,
      user,
      manager,
      verb,
      subresource,
      atMs,
    };
    table.records.push(record);
    this.#history.push(record);
    for (const subscriber of this.#subscribers) subscriber(record);
  }

  #table(kind: ResourceKind): Table {
    let table = this.#tables.get(kind);
    if (table === undefined) {
      table = { objects: new Map(), sortedKeys: undefined, records: [] };
      this.#tables.set(kind, table);
    }
    return table;
  }
}

function sortedKeys(table: Table): readonly string[] {
  table.sortedKeys ??= [...table.objects.keys()].sort(byCodeUnits);
  return table.sortedKeys;
}
