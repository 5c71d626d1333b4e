import { describe, expect, it } from '@jest/globals';
import { problemsOfTests, rowsOf } from './docs/named-tests';

/** Numbers of Reloader's bugs and quirks, except those of its chart. */
const quirks = Array.from({ length: 63 }, (_, index) => `Q${index + 1}`);

const rows = rowsOf('docs/reloader-compatibility.md');

describe('docs/reloader-compatibility.md', () => {
  it('has rows', () => expect(rows.length).toBeGreaterThan(40));

  it.each(quirks)('§19 decides %s in a row', (quirk) => {
    const deciding = rows.filter((cells) => new RegExp(`\\b${quirk}\\b`).test(cells.slice(0, -1).join(' ')));
    expect(deciding).not.toEqual([]);
  });

  it.each(rows.map((cells) => [cells[0] ?? '', cells.at(-1) ?? '']))('%s', (_behaviour, shownBy) => {
    expect(problemsOfTests(shownBy)).toEqual([]);
  });
});
