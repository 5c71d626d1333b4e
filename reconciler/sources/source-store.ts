import { budgets } from '../../shared/domain/budgets';
import { limitsRolling } from '../../shared/domain/gate-settings/gate-settings';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import {
  sourceId,
  sourceKinds,
  type SourceId,
  type SourceKind,
  type SourceRef,
} from '../../shared/domain/sources/source';
import { PackedSource } from './packed-source';
import { knownContent, statesOf, withResolvedTimes, type SourceEntry } from './source-entry';

/** A packed source at rest, or an entry with state that will not last. */
type Stored = PackedSource | SourceEntry;

/** By namespace, then by name. */
type StoredByName = Map<string, Map<string, Stored>>;

/** What is known about each source. Sources at rest are packed, which does not show outside of this store. */
export class SourceStore {
  readonly #kinds: Readonly<Record<SourceKind, StoredByName>> = {
    ConfigMap: new Map(),
    Secret: new Map(),
    SecretProviderClass: new Map(),
  };
  /** The sources that limit how many of their users roll out at once, by namespace. */
  readonly #limiting = new Map<string, Map<SourceId, SourceRef>>();

  get(source: SourceRef): SourceEntry | undefined {
    const stored = this.#kinds[source.kind].get(source.namespace)?.get(source.name);
    return stored instanceof PackedSource ? stored.entry(source) : stored;
  }

  set(source: SourceRef, entry: SourceEntry): void {
    const { kind, namespace, name } = source;
    const namespaces = this.#kinds[kind];
    let entries = namespaces.get(namespace);
    if (!entries) namespaces.set(namespace, (entries = new Map<string, Stored>()));
    const known = withResolvedTimes(entry);
    entries.set(name, PackedSource.of(known) ?? known);
    // A copy: the source may be a whole record, and would keep its content in memory.
    if (limitsRolling(entry.record?.gates)) this.#addLimiting({ kind, namespace, name });
    else this.#deleteLimiting(source);
  }

  delete(source: SourceRef): void {
    const { kind, namespace, name } = source;
    const namespaces = this.#kinds[kind];
    const entries = namespaces.get(namespace);
    entries?.delete(name);
    if (entries?.size === 0) namespaces.delete(namespace);
    this.#deleteLimiting(source);
  }

  /** The name of every source of a kind in a namespace. */
  *namesIn(kind: SourceKind, namespace: string): Iterable<string> {
    for (const [name, stored] of this.#kinds[kind].get(namespace) ?? []) if (exists(stored)) yield name;
  }

  /** The sources of a namespace that limit how many of their users roll out at once: mostly none. */
  *limitingIn(namespace: string): Iterable<SourceRef> {
    let left: number = budgets.limitingSources;
    for (const source of this.#limiting.get(namespace)?.values() ?? []) {
      if (left-- === 0) return;
      yield source;
    }
  }

  /** The sources of a kind, including those that are deleted and not forgotten yet. */
  *all<Kind extends SourceKind>(kind: Kind): Iterable<SourceRef<Kind>> {
    for (const [namespace, entries] of this.#kinds[kind]) {
      for (const name of entries.keys()) yield { kind, namespace, name };
    }
  }

  /** How many sources of a kind a namespace has, or had a moment ago. */
  countIn(kind: SourceKind, namespace: string): number {
    return this.#kinds[kind].get(namespace)?.size ?? 0;
  }

  /** The sources of a kind; `within` is a namespace, undefined: all. */
  *keys(kind: SourceKind, within: string | undefined): Iterable<ObjectKey> {
    for (const namespace of within === undefined ? this.#kinds[kind].keys() : [within]) {
      for (const name of this.namesIn(kind, namespace)) yield objectKey(namespace, name);
    }
  }

  /** The number of sources by kind, and roughly how many bytes are kept for them: names and digests, no content. */
  count(): { readonly sources: Readonly<Record<SourceKind, number>>; readonly retainedBytes: number } {
    const sources = { ConfigMap: 0, Secret: 0, SecretProviderClass: 0 };
    let retainedBytes = 0;
    for (const kind of sourceKinds) {
      for (const [namespace, entries] of this.#kinds[kind]) {
        for (const [name, stored] of entries) {
          if (!exists(stored)) continue;
          sources[kind]++;
          retainedBytes += namespace.length + name.length + bytesOf(stored);
        }
      }
    }
    return { sources, retainedBytes };
  }

  #addLimiting(source: SourceRef): void {
    const limiting = this.#limiting.get(source.namespace) ?? new Map<SourceId, SourceRef>();
    this.#limiting.set(source.namespace, limiting.set(sourceId(source), source));
  }

  #deleteLimiting(source: SourceRef): void {
    const limiting = this.#limiting.get(source.namespace);
    if (limiting?.delete(sourceId(source)) === true && limiting.size === 0) this.#limiting.delete(source.namespace);
  }
}

function exists(stored: Stored): boolean {
  return stored instanceof PackedSource || stored.record !== undefined;
}

function bytesOf(stored: Stored): number {
  if (stored instanceof PackedSource) return stored.retainedBytes;
  return statesOf(stored).reduce((sum, { content }) => sum + (knownContent(content)?.retainedBytes ?? 0), 0);
}
