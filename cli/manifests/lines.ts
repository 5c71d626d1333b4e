/** Maps offsets in a text to line numbers. */
export class Lines {
  /** The offset of each line's first character. */
  readonly #starts: number[] = [];

  /** Lines must be added in order. */
  add(offset: number): void {
    this.#starts.push(offset);
  }

  /** The number of the line that contains the offset, from 1. */
  at(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(1, low);
  }
}
