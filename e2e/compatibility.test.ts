import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(__dirname, '..');
const rooms = ['shared', 'reconciler', 'webhook', 'certs', 'e2e'];
const tests = rooms
  .flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
  )
  .filter((file) => file.endsWith('.test.ts'));

const page = readFileSync(join(root, 'docs', 'reloader-compatibility.md'), 'utf8');

/** Reloader's bugs and quirks but for those of its chart. */
const quirks = Array.from({ length: 63 }, (_, index) => `Q${index + 1}`);

/** Rows of the tables, by their cells, without heads and rules. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| behaviour') && !line.startsWith('| ---'))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );

describe('docs/reloader-compatibility.md', () => {
  it('has rows', () => expect(rows.length).toBeGreaterThan(40));

  it.each(quirks)('§19 decides %s in a row', (quirk) => {
    const deciding = rows.filter((cells) => new RegExp(`\\b${quirk}\\b`).test(cells.slice(0, -1).join(' ')));
    expect(deciding).not.toEqual([]);
  });

  it.each(rows)('%s', (_behaviour, ...cells) => {
    const shownBy = cells.at(-1) ?? '';
    const files = [...shownBy.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name = '']) => {
      const found = tests.filter((file) => `/${file}`.endsWith(`/${name}`));
      expect([name, found]).toEqual([name, [expect.any(String)]]);
      return withoutComments(readFileSync(join(root, found[0] ?? ''), 'utf8'));
    });
    expect(files).not.toEqual([]);
    for (const [, words = ''] of shownBy.matchAll(/"([^"]+)"/g)) {
      expect([words, files.some((text) => text.includes(words))]).toEqual([words, true]);
    }
  });
});

/** A comment is no title, whatever its words. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}
