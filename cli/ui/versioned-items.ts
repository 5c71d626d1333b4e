import type { ItemChanges } from './model/live-message';

interface Kept<Item> {
  readonly item: Item;
  readonly text: string;
  readonly version: number;
}

/**
 * A collection that counts its versions, so that each of many readers gets what has changed since its last look, however
 * slow it is. Nothing is queued for a reader.
 */
export class VersionedItems<Item> {
  readonly #keyOf: (item: Item) => string;
  /** Removals that are remembered; a reader from before them gets all items. */
  readonly #maxRemoved: number;
  #items: ReadonlyMap<string, Kept<Item>> = new Map();
  #removed: readonly { readonly key: string; readonly version: number }[] = [];
  /** Readers of an older version get all items. */
  #floor = 1;
  #version = 0;

  constructor(keyOf: (item: Item) => string, maxRemoved = 1_000) {
    this.#keyOf = keyOf;
    this.#maxRemoved = maxRemoved;
  }

  /** 0: nothing has been taken yet. */
  get version(): number {
    return this.#version;
  }

  /** Takes the items as they are now. Whether anything has changed. */
  replace(items: readonly Item[]): boolean {
    const next = this.#version + 1;
    const before = this.#items;
    const now = new Map(items.map((item) => [this.#keyOf(item), this.#keep(item, next)] as const));
    const gone = [...before.keys()].filter((key) => !now.has(key));
    const isChanged = gone.length > 0 || [...now.values()].some(({ version }) => version === next);
    if (!isChanged && this.#version > 0) return false;
    this.#items = now;
    this.#version = next;
    const removed = [
      ...this.#removed.filter(({ key }) => !now.has(key)),
      ...gone.map((key) => ({ key, version: next })),
    ];
    const forgotten = removed.slice(0, Math.max(0, removed.length - this.#maxRemoved));
    // One by one: a call takes no hundred thousand arguments.
    this.#floor = forgotten.reduce((floor, { version }) => Math.max(floor, version), this.#floor);
    this.#removed = removed.slice(forgotten.length);
    return true;
  }

  /** What has changed since a version; undefined: nothing. */
  since(version: number): ItemChanges<Item> | undefined {
    if (version === this.#version) return undefined;
    const all = [...this.#items.values()];
    if (version < this.#floor) return { isWhole: true, changed: all.map(({ item }) => item), removed: [] };
    return {
      isWhole: false,
      changed: all.filter((kept) => kept.version > version).map(({ item }) => item),
      removed: this.#removed.filter((each) => each.version > version).map(({ key }) => key),
    };
  }

  #keep(item: Item, version: number): Kept<Item> {
    const text = JSON.stringify(item);
    const before = this.#items.get(this.#keyOf(item));
    return before?.text === text ? before : { item, text, version };
  }
}
