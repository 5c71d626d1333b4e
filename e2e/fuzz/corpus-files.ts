import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files with the stored inputs of a target. A run with `--store` rewrites `found.txt`; `regressions.txt` has one
 * input for each bug that was fixed. Each line is one input as a JSON string, with one character for each byte.
 */
const files = { found: 'found.txt', regressions: 'regressions.txt' } as const;

/** Larger inputs are not worth their place in the repository. */
const maxStoredBytes = 2_048;
const maxStoredFileBytes = 32 * 1024;

const usualRoot = join('e2e', 'fuzz', 'corpus');

export function readCorpus(target: string, root = usualRoot): readonly Buffer[] {
  return Object.values(files).flatMap((file) => {
    const path = join(root, target, file);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => Buffer.from(JSON.parse(line) as string, 'latin1'));
  });
}

/** Rewrites the corpus of a target. Small inputs come first; those beyond the size limits are left out. */
export function storeCorpus(target: string, inputs: readonly Buffer[], root = usualRoot): void {
  let bytes = 0;
  const lines = inputs
    .filter(({ length }) => length <= maxStoredBytes)
    .map(lineOf)
    .sort((left, right) => left.length - right.length || (left < right ? -1 : 1))
    .filter((line) => (bytes += line.length + 1) <= maxStoredFileBytes);
  mkdirSync(join(root, target), { recursive: true });
  writeFileSync(join(root, target, files.found), lines.map((line) => `${line}\n`).join(''));
}

/** ASCII only, so that editors, diffs and git treat the file as text. */
function lineOf(input: Buffer): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(input.toString('latin1')).replace(/[\x7f-\xff]/g, escaped);
}
