import { printable } from '../../shared/domain/text/printable';
import { bold, type Paint, type Style } from './text-style';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** The style of a cell; undefined: none. */
  readonly style?: (row: Row) => Style | undefined;
  /** Shown with `-o wide` alone. */
  readonly isWide?: true;
}

export interface TableOptions {
  readonly paint: Paint;
  readonly wide: boolean;
  /** The width of the terminal, at which lines are cut; undefined: they are not cut. */
  readonly width: number | undefined;
}

interface Cell {
  readonly text: string;
  readonly style: Style | undefined;
}

const gap = '   ';

/** Lines with aligned columns, without borders. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { paint, wide, width = Infinity }: TableOptions,
): string {
  const shown = columns.filter(({ isWide }) => isWide === undefined || wide);
  const head = shown.map(({ title }): Cell => ({ text: title, style: bold }));
  const body = rows.map((row) =>
    shown.map(({ cell, style }): Cell => ({ text: printable(cell(row)), style: style?.(row) })),
  );
  const lines = [head, ...body];
  // One by one: a call takes no hundred thousand arguments.
  const sizes = shown.map((_, index) => lines.reduce((most, line) => Math.max(most, line[index]?.text.length ?? 0), 0));
  return lines.map((line) => `${renderLine(line, sizes, paint, width)}\n`).join('');
}

/** The last cell is not padded. What does not fit ends in `…`. */
function renderLine(line: readonly Cell[], sizes: readonly number[], paint: Paint, width: number): string {
  const isCut =
    line.slice(0, -1).reduce((sum, _, index) => sum + (sizes[index] ?? 0) + gap.length, 0) +
      (line.at(-1)?.text.length ?? 0) >
    width;
  let left = isCut ? Math.max(0, width - 1) : width;
  const painted = line.map(({ text, style }, index) => {
    const padded = index === line.length - 1 ? text : text.padEnd(sizes[index] ?? 0) + gap;
    const fitting = padded.slice(0, left);
    left -= fitting.length;
    return style === undefined ? fitting : paint(style, fitting);
  });
  return painted.join('').trimEnd() + (isCut ? '…' : '');
}
