import { readdirSync } from 'node:fs';
import path from 'node:path';
import { projectDir } from '../control-plane/versions';
import { textOf } from './pages';

const rooms = ['shared', 'reconciler', 'webhook', 'certs', 'cli', 'e2e'];

const sources = rooms
  .flatMap((room) =>
    readdirSync(path.join(projectDir, room), { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
  )
  .filter((file) => file.endsWith('.ts'));

const tests = sources.filter((file) => file.endsWith('.test.ts'));

/** The numbers behind section signs in titles and tables of tests, such as `2.6`, each with a file that has it. */
export function namedSections(): ReadonlyMap<string, string> {
  const found = sources.flatMap((file) =>
    [...textOf(file).matchAll(/§(\d+(?:\.\d+)?)/g)].map(([, section = '']) => [section, file] as const),
  );
  return new Map(found);
}

/** The cells of all table rows of a page, without header and separator rows. */
export function rowsOf(page: string): readonly (readonly string[])[] {
  const lines = textOf(page).split('\n');
  return lines
    .filter((line, index) => line.startsWith('| ') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}

function isRule(line: string): boolean {
  return line.startsWith('| ---');
}

/**
 * Checks a table cell that says which tests show something, such as
 * `` `e2e/a.test.ts` "its title", "another"; `b.test.ts` "…" ``.
 * Each file must exist and contain each title behind it. Returns the problems; empty if there are none.
 */
export function problemsOfTests(cell: string): readonly string[] {
  const named = [...cell.matchAll(/`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g)];
  if (named.length === 0) return [`names no test: ${cell}`];
  return named.flatMap(([, name = '', quoted = '']) => {
    const [file, ...others] = tests.filter((test) => `/${test}`.endsWith(`/${name}`));
    if (file === undefined || others.length > 0) return [`is not one file: ${name}`];
    const titles = [...quoted.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words);
    if (titles.length === 0) return [`names no title of ${name}`];
    const text = withoutComments(textOf(file));
    return titles.filter((words) => !text.includes(words)).map((words) => `is no title there: ${words}`);
  });
}

/** Removes comments: a title must not be found in a comment. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}
