import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestedMutant } from './mutants';

/** What the tests read: the source folders, and the configuration of jest and TypeScript. */
const roomsAndSettings: readonly string[] = [
  ...['shared', 'reconciler', 'webhook', 'certs', 'cli', 'e2e'],
  ...[
    'jest.config.mjs',
    'jest.environment.mjs',
    'jest.runtime.mjs',
    'jest.sequencer.mjs',
    'package.json',
    'tsconfig.json',
  ],
];

/** Runs these test files in a folder. `said` is the output of jest, for a person. */
export type RunTests = (
  folder: string,
  tests: readonly string[],
) => Promise<{ readonly passed: boolean; readonly said: string }>;

/**
 * Plants each bug in a copy of the source folders and runs the test that must find it. Returns how many bugs are not
 * found. Throws if a test fails without a bug, because such a test would find everything.
 */
export async function proveTests(
  mutants: readonly TestedMutant[],
  say: (line: string) => void,
  run: RunTests = runJest,
  copied = roomsAndSettings,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'reroll-prove-'));
  try {
    await Promise.all(
      copied.map(async (path) => {
        await cp(path, join(folder, path), { recursive: true });
      }),
    );
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const unmutated = await run(folder, [...new Set(mutants.map(({ test }) => test))]);
    if (!unmutated.passed) throw new Error(`a test fails without a planted bug:\n${unmutated.said}`);
    let missed = 0;
    for (const mutant of mutants) {
      const { what, test } = mutant;
      const { passed } = await planted(folder, mutant, async () => await run(folder, [test]));
      if (passed) missed += 1;
      say(passed ? `NOT FOUND by ${test}: ${what}` : `found by ${test}: ${what}`);
    }
    return missed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function planted<T>(folder: string, { file, from, to }: TestedMutant, run: () => Promise<T>): Promise<T> {
  const path = join(folder, file);
  const right = await readFile(path, 'utf8');
  if (!right.includes(from)) throw new Error(`${file} has no text "${from}"`);
  await writeFile(
    path,
    right.replace(from, () => to),
  );
  try {
    return await run();
  } finally {
    await writeFile(path, right);
  }
}

/** Throws if jest fails without a failed test, because then nothing was proved. */
async function runJest(folder: string, tests: readonly string[]): ReturnType<RunTests> {
  const jest = ['node_modules/jest/bin/jest.js', '--ci', '--maxWorkers=1', '--watchman=false', '--bail'];
  const child = spawn(process.execPath, [...jest, '--runTestsByPath', ...tests], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const code = await new Promise<number | null>((done, reject) => {
    child.on('error', reject);
    child.on('close', done);
  });
  // Jest runs no test if a file is missing or does not compile.
  if (code !== 0 && !/^Tests:.* \d+ failed/m.test(said))
    throw new Error(`jest ran no test of ${tests.join(', ')}:\n${said}`);
  return { passed: code === 0, said };
}
