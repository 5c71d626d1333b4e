import type { SourceKind } from '../../shared/domain/sources/source';

/** A kind of sources in `namespace`; if undefined, in all namespaces. */
export interface SourcePlace<K extends SourceKind = SourceKind> {
  readonly kind: K;
  readonly namespace: string | undefined;
}

const none: ReadonlySet<SourceKind> = new Set();

/** Kinds of sources, each with the places where something is true of it. */
export class KindsByPlace {
  readonly #kinds = new Map<string | undefined, Set<SourceKind>>();
  readonly #everywhere: ReadonlySet<SourceKind>;
  /** The number of places, each counted once for each of its kinds. */
  readonly size: number;

  constructor(places: readonly SourcePlace[]) {
    for (const { kind, namespace } of places) {
      this.#kinds.set(namespace, (this.#kinds.get(namespace) ?? new Set()).add(kind));
    }
    this.#everywhere = this.#kinds.get(undefined) ?? none;
    this.size = places.length;
  }

  /** Either single namespaces are watched, or all together. */
  in(namespace: string): ReadonlySet<SourceKind> {
    return this.#kinds.get(namespace) ?? this.#everywhere;
  }
}
