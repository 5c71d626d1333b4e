import { describe, expect, it } from '@jest/globals';
import { renderTable, type Column } from './table';
import { green, paintFor } from './text-style';

interface Row {
  readonly name: string;
  readonly state: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'MORE', cell: () => 'x', isWide: true },
  { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => (state === 'good' ? green : undefined) },
];
const rows = [
  { name: 'a', state: 'good' },
  { name: 'a-longer-name', state: 'bad' },
];
const plain = { paint: paintFor(false), wide: false, width: undefined };

describe('a table', () => {
  it('aligns its columns', () => {
    expect(renderTable(columns, rows, plain)).toBe(`NAME            STATE
a               good
a-longer-name   bad
`);
  });

  it('has more columns if it is wide', () => {
    expect(renderTable(columns, rows, { ...plain, wide: true })).toBe(`NAME            MORE   STATE
a               x      good
a-longer-name   x      bad
`);
  });

  it('is cut at the width of a terminal', () => {
    expect(renderTable(columns, rows, { ...plain, width: 18 })).toBe(`NAME            S…
a               g…
a-longer-name   b…
`);
  });

  it.each([0, 1])('is nothing but signs that it is cut at a width of %p', (width) => {
    expect(renderTable(columns, rows, { ...plain, width })).toBe('…\n…\n…\n');
  });

  it('aligns what is painted', () => {
    const painted = renderTable(columns, rows, { ...plain, paint: paintFor(true) });
    expect(painted.split('\n')[1]).toBe('a               \u001b[32mgood\u001b[39m');
  });

  it('escapes what could control a terminal', () => {
    expect(renderTable(columns, [{ name: '\u001b[2J', state: '' }], plain)).toContain(String.raw`\u001b[2J`);
  });

  it('has more rows than a call takes arguments', () => {
    const many = Array.from({ length: 200_000 }, () => rows[0]!);
    expect(renderTable(columns, many, plain).split('\n', 2)).toEqual(['NAME   STATE', 'a      good']);
  });
});
