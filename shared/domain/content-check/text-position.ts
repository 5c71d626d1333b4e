/** A position in a text. Line and column count from 1, as in editors. */
export interface TextPosition {
  readonly line: number;
  /** In UTF-16 code units, as editors count. */
  readonly column: number;
}

/** The line and column of an offset; lines end with `\n` or `\r\n`. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Inverse of {@link positionAt}; a position beyond the text is the end of the text. */
export function offsetAt(text: string, { line, column }: TextPosition): number {
  let lineStart = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf('\n', lineStart);
    if (end < 0) return text.length;
    lineStart = end + 1;
  }
  return Math.min(lineStart + column - 1, text.length);
}
