interface Revision {
  readonly workloads: number;
  readonly revision: number;
}

/**
 * A number for each namespace that never comes back once it has changed. Namespaces come and go, so of one without
 * workloads nothing is kept: they all have the same number, which is later than any that one of them had.
 */
export class NamespaceRevisions {
  readonly #namespaces = new Map<string, Revision>();
  #last = 0;
  #ofEmpty = 0;

  /** How many namespaces have workloads. */
  get size(): number {
    return this.#namespaces.size;
  }

  of(namespace: string): number {
    return this.#namespaces.get(namespace)?.revision ?? this.#ofEmpty;
  }

  revise(namespace: string): void {
    this.#count(namespace, 0);
  }

  /** A workload comes. */
  came(namespace: string): void {
    this.#count(namespace, 1);
  }

  /** A workload that came goes. */
  went(namespace: string): void {
    this.#count(namespace, -1);
  }

  #count(namespace: string, more: 1 | 0 | -1): void {
    const revision = ++this.#last;
    const workloads = (this.#namespaces.get(namespace)?.workloads ?? 0) + more;
    if (workloads > 0) this.#namespaces.set(namespace, { workloads, revision });
    else {
      this.#namespaces.delete(namespace);
      this.#ofEmpty = revision;
    }
  }
}
