import { describe, expect, it } from '@jest/globals';
import { namedSections, problemsOfTests, rowsOf } from './docs/named-tests';
import { textOf } from './docs/pages';

/** Numbers of Reloader's bugs and quirks, except those of its chart. */
const quirks = Array.from({ length: 63 }, (_, index) => `Q${index + 1}`);

const rows = rowsOf('docs/reloader-compatibility.md');

describe('docs/reloader-compatibility.md', () => {
  it('has rows', () => expect(rows.length).toBeGreaterThan(40));

  it.each(quirks)('decides %s in a row', (quirk) => {
    const deciding = rows.filter((cells) => new RegExp(`\\b${quirk}\\b`).test(cells.slice(0, -1).join(' ')));
    expect(deciding).not.toEqual([]);
  });

  it.each([...namedSections()])('has section %s, which %s names', (section) => {
    const isRow = rows.some(([behaviour = '']) => behaviour.startsWith(`${section} `));
    expect(isRow || textOf('docs/reloader-compatibility.md').includes(`\n## ${section}. `)).toBe(true);
  });

  it.each(rows.map((cells) => [cells[0] ?? '', cells.at(-1) ?? '']))('%s', (_behaviour, shownBy) => {
    expect(problemsOfTests(shownBy)).toEqual([]);
  });
});
