import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDataDir, killAndRemove, recordServers, sweepAbandoned } from './data-dir';
import { type ProcessIdentity, identifyProcess } from './process-identity';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';

let temporary: TemporaryDir;
let server: ChildProcess;
let identity: ProcessIdentity;

beforeEach(() => {
  temporary = createTemporaryDir();
  server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  identity = identifyProcess(server.pid!)!;
});

afterEach(() => {
  server.kill('SIGKILL');
  temporary.dispose();
});

/** Makes the folder look as if its owner no longer runs. */
const abandon = (dir: string): void => {
  const file = path.join(dir, 'processes.json');
  const owner = { pid: spawnSync(process.execPath, ['-e', '']).pid, kernelStartTime: '1' };
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), owner }));
};

it('is readable by its user only', () => {
  expect(statSync(createDataDir(temporary.dir)).mode & 0o777).toBe(0o700);
});

it('killAndRemove leaves neither servers nor files', async () => {
  const dir = createDataDir(temporary.dir);
  const exited = once(server, 'exit');
  killAndRemove(dir, [identity]);
  await expect(exited).resolves.toEqual([null, 'SIGKILL']);
  expect(existsSync(dir)).toBe(false);
});

describe('sweepAbandoned', () => {
  it('ends the servers of an owner that was killed', async () => {
    const dir = createDataDir(temporary.dir);
    recordServers(dir, [identity]);
    abandon(dir);
    const exited = once(server, 'exit');
    expect(sweepAbandoned(temporary.dir)).toEqual([dir]);
    await expect(exited).resolves.toEqual([null, 'SIGKILL']);
    expect(readdirSync(temporary.dir)).toEqual([]);
  });

  it('leaves alone what a running owner uses', () => {
    const dir = createDataDir(temporary.dir);
    recordServers(dir, [identity]);
    expect(sweepAbandoned(temporary.dir)).toEqual([]);
    expect(existsSync(dir)).toBe(true);
    expect(identifyProcess(identity.pid)).toEqual(identity);
  });

  it('does not kill a process that merely has the pid of an abandoned server', () => {
    const dir = createDataDir(temporary.dir);
    recordServers(dir, [{ ...identity, kernelStartTime: 'another time' }]);
    abandon(dir);
    expect(sweepAbandoned(temporary.dir)).toEqual([dir]);
    expect(identifyProcess(identity.pid)).toEqual(identity);
  });

  it.each([
    ['no record', undefined],
    ['a record that is no JSON', '{'],
    ['a record of another form', '{"owner":{"pid":1},"servers":[]}'],
  ])('leaves alone a folder with %s', (_case, record) => {
    const dir = path.join(temporary.dir, 'reroll-control-plane-x');
    mkdirSync(dir);
    if (record !== undefined) writeFileSync(path.join(dir, 'processes.json'), record);
    expect(sweepAbandoned(temporary.dir)).toEqual([]);
    expect(existsSync(dir)).toBe(true);
  });
});
