import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { createTemporaryDir } from './temporary-dir';

const temporary = createTemporaryDir();
/** Bundled once: a TypeScript loader would take longer than everything else that the programs do. */
const modulePath = path.join(temporary.dir, 'exit-cleanup.cjs');

beforeAll(async () => {
  const entryPoints = [path.join(__dirname, 'exit-cleanup.ts')];
  await build({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: modulePath });
});

afterAll(() => temporary.dispose());

/** Runs a program that cleans up by printing, and returns what it printed and how it ended. */
const run = async (script: string): Promise<{ printed: string; code: number | null; signal: string | null }> => {
  const program = `
    const { writeSync } = require('node:fs');
    const { runAtExit } = require(${JSON.stringify(modulePath)});
    const forget = runAtExit(() => writeSync(1, 'cleaned '));
    ${script}`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );
  const printed = await text(child.stdout);
  const [code, signal] = await ended;
  return { printed, code, signal };
};

describe('runAtExit', () => {
  it.each([
    ['it simply ends', '', { printed: 'cleaned ', code: 0, signal: null }],
    ['it exits', 'process.exit(3);', { printed: 'cleaned ', code: 3, signal: null }],
    ['it crashes', 'setTimeout(() => { throw new Error(); });', { printed: 'cleaned ', code: 1, signal: null }],
    [
      'a promise is rejected and no one cares',
      'void Promise.reject(new Error());',
      { printed: 'cleaned ', code: 1, signal: null },
    ],
    [
      'it gets SIGINT',
      `process.kill(process.pid, 'SIGINT'); setTimeout(() => {}, 1e6);`,
      { printed: 'cleaned ', code: null, signal: 'SIGINT' },
    ],
    [
      'it gets SIGTERM',
      `process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 1e6);`,
      { printed: 'cleaned ', code: null, signal: 'SIGTERM' },
    ],
    [
      'someone else handles the signal as well',
      `process.on('SIGTERM', () => setTimeout(() => { writeSync(1, 'mine'); process.exit(0); }));
       process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 1e6);`,
      { printed: 'cleaned mine', code: 0, signal: null },
    ],
    ['it was told to forget', 'forget();', { printed: '', code: 0, signal: null }],
  ])('when %s', async (_case, script, expected) => {
    await expect(run(script)).resolves.toEqual(expected);
  });
});
