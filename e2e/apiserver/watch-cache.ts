import type { ResourceKind } from './resources';
import { expired } from './status';
import type { Store, WriteRecord } from './store';

/** An open watch. */
interface Watcher {
  take(record: WriteRecord): void;
  end(): void;
}

/** Recent writes of each kind, from which watches can resume, and the open watches. */
export class WatchCache {
  readonly #store: Store;
  readonly #windowSize: number;
  readonly #watchers = new Map<ResourceKind, Set<Watcher>>();

  /** `windowSize` is how many writes of one kind a watch may be behind. */
  constructor(store: Store, windowSize: number) {
    this.#store = store;
    this.#windowSize = windowSize;
    store.subscribe((record) => {
      for (const watcher of this.#watchers.get(record.kind) ?? []) watcher.take(record);
    });
  }

  /**
   * The writes of a kind after `revision`.
   *
   * @throws StatusError 410 when some of them are gone.
   */
  since(kind: ResourceKind, revision: number): readonly WriteRecord[] {
    const records = this.#store.records(kind);
    const firstKept = records[records.length - this.#windowSize];
    const oldest = Math.max(this.#store.compactedRevision, firstKept === undefined ? 0 : firstKept.revision - 1);
    if (revision < oldest) throw expired(`too old resource version: ${revision} (${oldest})`);
    let start = records.length;
    while (start > 0 && (records[start - 1]?.revision ?? 0) > revision) start -= 1;
    return records.slice(start);
  }

  subscribe(kind: ResourceKind, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(kind) ?? new Set();
    this.#watchers.set(kind, watchers.add(watcher));
    return () => watchers.delete(watcher);
  }

  /** Ends the watches of one kind, or all watches. */
  end(kind?: ResourceKind): void {
    const concerned = kind === undefined ? [...this.#watchers.values()] : [this.#watchers.get(kind) ?? []];
    for (const watcher of concerned.flatMap((watchers) => [...watchers])) watcher.end();
  }

  /** The number of open watches of all kinds. */
  watcherCount(): number {
    return [...this.#watchers.values()].reduce((total, watchers) => total + watchers.size, 0);
  }
}
