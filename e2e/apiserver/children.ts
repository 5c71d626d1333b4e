import type { KubeObject } from './objects';
import type { ResourceKind } from './resources';
import { storeKey, type Store } from './store';

interface Child {
  readonly kind: ResourceKind;
  readonly key: string;
}

/** An index of objects by owner uid. It saves controllers and the garbage collector a search through all objects. */
export class Children {
  readonly #store: Store;
  readonly #byOwner = new Map<string, Map<string, Child>>();

  constructor(store: Store) {
    this.#store = store;
    store.subscribe(({ type, kind, key, object, previous }) => {
      for (const owner of previous?.metadata.ownerReferences ?? [])
        this.#byOwner.get(owner.uid)?.delete(`${kind.plural}/${key}`);
      if (type !== 'DELETED') this.#add(kind, key, object);
    });
  }

  /** Indexes the objects of these kinds again, because the store has gone back to a backup without a write for each. */
  restored(kinds: readonly ResourceKind[]): void {
    this.#byOwner.clear();
    for (const kind of kinds) {
      for (const object of this.#store.list(kind)) {
        this.#add(kind, storeKey(object.metadata.namespace, object.metadata.name), object);
      }
    }
  }

  /** The existing objects of a kind with an owner reference to `ownerUid`. */
  *of(ownerUid: string, kind: ResourceKind): Generator<KubeObject> {
    for (const child of this.#byOwner.get(ownerUid)?.values() ?? []) {
      const object = child.kind === kind ? this.#store.get(kind, child.key) : undefined;
      if (object !== undefined) yield object;
    }
  }

  /** The existing objects of all kinds with an owner reference to `ownerUid`. */
  all(ownerUid: string): readonly { readonly kind: ResourceKind; readonly object: KubeObject }[] {
    return [...(this.#byOwner.get(ownerUid)?.values() ?? [])].flatMap(({ kind, key }) => {
      const object = this.#store.get(kind, key);
      return object === undefined ? [] : [{ kind, object }];
    });
  }

  #add(kind: ResourceKind, key: string, { metadata }: KubeObject): void {
    for (const owner of metadata.ownerReferences ?? []) {
      const children = this.#byOwner.get(owner.uid) ?? new Map<string, Child>();
      this.#byOwner.set(owner.uid, children.set(`${kind.plural}/${key}`, { kind, key }));
    }
  }
}
