export interface RankedKey {
  /** For example the time when the key is due. */
  readonly rank: number;
  readonly key: string;
}

/** A binary heap, lowest rank first. Keys of the same rank are popped in the order in which they were pushed. */
export class KeyHeap {
  readonly #items: { readonly rank: number; readonly key: string; readonly order: number }[] = [];
  #order = 0;

  get size(): number {
    return this.#items.length;
  }

  peek(): RankedKey | undefined {
    return this.#items[0];
  }

  push({ rank, key }: RankedKey): void {
    // Not `{ ...item, order }`: V8 would give each such entry a hidden class of its own, which takes four times the memory.
    const entry = { rank, key, order: this.#order++ };
    let index = this.#items.length;
    this.#items.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex];
      if (!parent || !isBefore(entry, parent)) break;
      this.#items[index] = parent;
      index = parentIndex;
    }
    this.#items[index] = entry;
  }

  pop(): RankedKey | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (first === undefined || last === undefined || this.#items.length === 0) return first;
    let index = 0;
    for (;;) {
      const leftIndex = 2 * index + 1;
      const left = this.#items[leftIndex];
      if (!left) break;
      const right = this.#items[leftIndex + 1];
      const childIndex = right && isBefore(right, left) ? leftIndex + 1 : leftIndex;
      const child = this.#items[childIndex];
      if (!child || !isBefore(child, last)) break;
      this.#items[index] = child;
      index = childIndex;
    }
    this.#items[index] = last;
    return first;
  }
}

function isBefore(left: { rank: number; order: number }, right: { rank: number; order: number }): boolean {
  return left.rank < right.rank || (left.rank === right.rank && left.order < right.order);
}
