export interface DueKey {
  readonly dueMs: number;
  readonly key: string;
}

/** A binary heap, earliest first; keys of the same time come out in the order in which they went in. */
export class DueHeap {
  readonly #items: { readonly dueMs: number; readonly key: string; readonly order: number }[] = [];
  #order = 0;

  get size(): number {
    return this.#items.length;
  }

  peek(): DueKey | undefined {
    return this.#items[0];
  }

  push(item: DueKey): void {
    const entry = { ...item, order: this.#order++ };
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

  pop(): DueKey | undefined {
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

function isBefore(left: { dueMs: number; order: number }, right: { dueMs: number; order: number }): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}
