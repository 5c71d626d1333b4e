import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from '@jest/globals';
import { sweepAbandoned } from './data-dir';
import { pollUntil } from './poll';
import { type ProcessIdentity, isRunning } from './process-identity';
import { projectDir } from './versions';

interface Started {
  readonly owner: ChildProcess;
  readonly servers: readonly ProcessIdentity[];
  readonly logDir: string;
}

let started: Started | undefined;

/** Starts a control plane in another Node process, which never stops it. */
const startElsewhere = async (): Promise<Started> => {
  const program = `
    const { startControlPlane } = require(${JSON.stringify(path.join(__dirname, 'start.ts'))});
    startControlPlane().then(({ servers, logDir }) => {
      console.log(JSON.stringify({ servers, logDir }));
      process.stdin.resume().once('data', () => { throw new Error('crash'); });
    });`;
  const owner = spawn(process.execPath, ['--import', 'tsx', '-e', program], {
    cwd: projectDir,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: owner.stdout })) {
    const { servers, logDir } = JSON.parse(line);
    started = { owner, servers, logDir };
    return started;
  }
  throw new Error('the other process did not start a control plane');
};

const nothingLeft = async ({ servers, logDir }: Started): Promise<void> => {
  await pollUntil('every server to be gone', async () => (servers.some(isRunning) ? undefined : true));
  expect(existsSync(logDir)).toBe(false);
};

afterEach(() => {
  started?.owner.kill('SIGKILL');
  sweepAbandoned();
});

it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing when its owner gets %s', async (signal) => {
  const elsewhere = await startElsewhere();
  const ended = new Promise((resolve) => elsewhere.owner.once('exit', (_code, by) => resolve(by)));
  elsewhere.owner.kill(signal);
  await expect(ended).resolves.toBe(signal);
  await nothingLeft(elsewhere);
});

it('leaves nothing when its owner crashes', async () => {
  const elsewhere = await startElsewhere();
  const ended = new Promise((resolve) => elsewhere.owner.once('exit', resolve));
  elsewhere.owner.stdin?.write('crash\n');
  await expect(ended).resolves.toBe(1);
  await nothingLeft(elsewhere);
});

it('is swept by the next one when its owner is killed', async () => {
  const elsewhere = await startElsewhere();
  const ended = new Promise((resolve) => elsewhere.owner.once('exit', resolve));
  elsewhere.owner.kill('SIGKILL');
  await ended;
  expect(elsewhere.servers.every(isRunning)).toBe(true);
  expect(sweepAbandoned()).toContain(elsewhere.logDir);
  await nothingLeft(elsewhere);
});
