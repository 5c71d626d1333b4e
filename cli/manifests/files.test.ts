import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { machineFiles } from './files';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'reroll-lint-'));
  mkdirSync(path.join(dir, 'sub'));
  writeFileSync(path.join(dir, 'a.yaml'), 'a');
  symlinkSync('a.yaml', path.join(dir, 'link.yaml'));
  symlinkSync('..', path.join(dir, 'up'));
  symlinkSync('gone', path.join(dir, 'dead.yaml'));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('machineFiles', () => {
  const files = machineFiles(Readable.from(['pip', 'ed']));

  it('lists a directory with links to files, and without links to directories, which may lead back up', async () => {
    const entries = await files.entries(dir);
    expect(entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'a.yaml', isDirectory: false },
      { name: 'dead.yaml', isDirectory: false },
      { name: 'link.yaml', isDirectory: false },
      { name: 'sub', isDirectory: true },
    ]);
  });

  it('tells directories from files, and has the codes of Node in its errors', async () => {
    expect(await files.isDirectory(dir)).toBe(true);
    expect(await files.isDirectory(path.join(dir, 'a.yaml'))).toBe(false);
    await expect(files.isDirectory(path.join(dir, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(files.read(path.join(dir, 'dead.yaml'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('reads files and all of standard input', async () => {
    expect(String(await files.read(path.join(dir, 'link.yaml')))).toBe('a');
    expect(String(await files.readStdin())).toBe('piped');
  });
});
