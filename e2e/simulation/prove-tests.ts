import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestedMutant } from './tested-mutants';

/** What the tests read. The rooms, and what tells how they are run. */
const roomsAndSettings: readonly string[] = [
  ...['shared', 'reconciler', 'webhook', 'certs', 'e2e'],
  ...['jest.config.mjs', 'jest.environment.mjs', 'jest.sequencer.mjs', 'package.json', 'tsconfig.json'],
];

/** Whether jest passes the tests of these files in a folder; what it says is for a person. */
export type RunTests = (
  folder: string,
  tests: readonly string[],
) => Promise<{ readonly passed: boolean; readonly said: string }>;

/**
 * Plants each bug in a copy of the rooms and runs the test that is to find it. Returns how many are not found. Throws where a
 * test fails without a bug: it would find everything.
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

/** Jest exits with 1 for a test that fails; with anything else nothing was proved. */
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
  // A file that is not there, or does not compile, runs no test.
  if (code !== 0 && !/^Tests:.* \d+ failed/m.test(said))
    throw new Error(`jest ran no test of ${tests.join(', ')}:\n${said}`);
  return { passed: code === 0, said };
}
