/** Limits of a {@link BoundedMap}. */
export interface BoundedMapLimits {
  /** For all entries together. */
  readonly maxBytes: number;
  /** For the entries of one owner, such as a namespace; undefined: no limit per owner. */
  readonly maxOwnerBytes?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly owner: string;
}

/** Bytes that an entry takes in the maps, besides the size that its caller reports. */
const entryBytes = 150;

/**
 * A map that evicts the least recently used entries when it exceeds its size in bytes. Each owner has a share of its
 * own. When the whole map is full, the largest owner loses entries: a tenant who fills the map evicts the tenant's own
 * entries.
 */
export class BoundedMap<Key, Value> {
  readonly #limits: BoundedMapLimits;
  readonly #onForgotten: ((key: Key, value: Value) => void) | undefined;
  /** Least recently used first; the same order within each owner. */
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #owners = new Map<string, { bytes: number; readonly keys: Map<Key, true> }>();
  #bytes = 0;

  /** `onForgotten` is called for evicted entries, not for deleted or replaced ones. */
  constructor(limits: BoundedMapLimits, onForgotten?: (key: Key, value: Value) => void) {
    this.#limits = limits;
    this.#onForgotten = onForgotten;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The size of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Does not count as use. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Counts as use. */
  use(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const keys = this.#owners.get(entry.owner)?.keys;
    keys?.delete(key);
    keys?.set(key, true);
    return entry.value;
  }

  /** Counts as use. An entry larger than the limits is not kept. */
  set(key: Key, value: Value, bytes: number, owner = ''): void {
    this.delete(key);
    const entry = { value, bytes: bytes + entryBytes, owner };
    this.#entries.set(key, entry);
    const of = this.#owners.get(owner) ?? { bytes: 0, keys: new Map<Key, true>() };
    of.keys.set(key, true);
    of.bytes += entry.bytes;
    this.#owners.set(owner, of);
    this.#bytes += entry.bytes;
    this.#makeRoom(owner);
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    const of = this.#owners.get(entry.owner);
    if (!of) return true;
    of.keys.delete(key);
    of.bytes -= entry.bytes;
    if (of.keys.size === 0) this.#owners.delete(entry.owner);
    return true;
  }

  /** Least recently used first; entries may be deleted meanwhile. */
  *entries(): IterableIterator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  #makeRoom(owner: string): void {
    const { maxBytes, maxOwnerBytes = maxBytes } = this.#limits;
    while ((this.#owners.get(owner)?.bytes ?? 0) > maxOwnerBytes) this.#forgetOldestOf(owner);
    while (this.#bytes > maxBytes) this.#forgetOldestOf(this.#largestOwner());
  }

  #forgetOldestOf(owner: string): void {
    // The iterator must be new each time, although it skips deleted keys one by one: V8 keeps all tables that the map has
    // outgrown as long as an older iterator exists.
    for (const key of this.#owners.get(owner)?.keys.keys() ?? []) {
      const entry = this.#entries.get(key);
      this.delete(key);
      if (entry) this.#onForgotten?.(key, entry.value);
      return;
    }
  }

  /** The search is cheap: it runs only when the map is full, and few owners can fill it. */
  #largestOwner(): string {
    let [largest, most] = ['', -1];
    for (const [owner, { bytes }] of this.#owners) if (bytes > most) [largest, most] = [owner, bytes];
    return largest;
  }
}
