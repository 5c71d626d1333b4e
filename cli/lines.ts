/** The lines of a text, as the parser comes upon them. */
export class Lines {
  /** The offset of each line's first character. */
  readonly #starts: number[] = [];

  /** In the order of the text. */
  add(offset: number): void {
    this.#starts.push(offset);
  }

  /** The number of the line with this offset, from 1. */
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
