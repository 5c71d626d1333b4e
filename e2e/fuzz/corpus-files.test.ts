import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readCorpus, storeCorpus } from './corpus-files';
import { targets } from './targets';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'reroll-corpus-'));
});

afterAll(() => rmSync(root, { recursive: true }));

it('gives back every byte, the regressions with what was found, and its file is ASCII', () => {
  const inputs = [Buffer.from([0, 10, 127, 128, 255]), Buffer.from('"é\\'), Buffer.alloc(0)];
  storeCorpus('some', inputs, root);
  writeFileSync(join(root, 'some', 'regressions.txt'), '"once"\n');
  const read = readCorpus('some', root);
  expect(read.map((input) => input.toString('hex')).sort()).toEqual(
    [...inputs, Buffer.from('once')].map((input) => input.toString('hex')).sort(),
  );
  expect(readFileSync(join(root, 'some', 'found.txt'), 'utf8')).toMatch(/^[\x20-\x7e\n]+$/);
});

it('leaves out what is too large for the repository', () => {
  const many = Array.from({ length: 100 }, (_, index) => Buffer.alloc(1_000, 65 + (index % 26)));
  storeCorpus('large', [Buffer.alloc(100_000), ...many], root);
  expect(readFileSync(join(root, 'large', 'found.txt')).length).toBeLessThanOrEqual(32 * 1024);
});

it('has nothing of a target that has never run', () => {
  expect(readCorpus('nothing', root)).toEqual([]);
});

it('holds regressions that are read', () => {
  const duration = readCorpus('duration').map((input) => input.toString());
  expect(duration.some((text) => text.startsWith('2562047h4047h'))).toBe(true);
  expect(targets.size).toBeGreaterThan(30);
});
