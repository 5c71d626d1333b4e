/** Splits a stream of text into lines, wherever it is cut into pieces. */
export class LineReader {
  #rest = '';

  /** The lines that are complete with this piece, without empty ones. */
  push(piece: string): readonly string[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line !== '');
  }
}
