import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { pollUntil } from './poll';
import { identifyProcess, isRunning, signalProcess } from './process-identity';
import { type ServerProcess, startServerProcess } from './server-process';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';

let temporary: TemporaryDir;
let started: ServerProcess[];

const start = async (script: string): Promise<ServerProcess> => {
  const surroundings = { workDir: temporary.dir, logDir: temporary.dir };
  const server = await startServerProcess({ name: 'test', file: process.execPath, args: ['-e', script] }, surroundings);
  started.push(server);
  return server;
};

const saysReady = async (server: ServerProcess): Promise<void> => {
  await pollUntil('the process to say ready', async () =>
    readFileSync(server.logPath, 'utf8').includes('ready') ? true : undefined,
  );
};

beforeEach(() => {
  temporary = createTemporaryDir();
  started = [];
});

afterEach(async () => {
  for (const server of started) await server.stop('SIGKILL');
  temporary.dispose();
});

it('lets a process end in good order', async () => {
  const server = await start(
    `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); setInterval(() => {}, 1e6); console.log('ready')`,
  );
  await saysReady(server);
  expect(isRunning(server)).toBe(true);
  await server.stop();
  expect(isRunning(server)).toBe(false);
  expect(server.exitReason()).toBe('exited with code 0');
  await expect(server.logTail()).resolves.toBe('ready\nbye');
});

it('kills a process that does not', async () => {
  const server = await start(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('ready')`);
  await saysReady(server);
  await server.stop('SIGTERM', 50);
  expect(server.exitReason()).toBe('got SIGKILL');
});

it('notices a process that ends by itself, and can still be stopped then', async () => {
  const server = await start('process.exit(3)');
  await expect(server.exited).resolves.toBe('exited with code 3');
  await server.stop();
});

it('keeps the log of an earlier life', async () => {
  await (
    await start('console.log(1)')
  ).exited;
  const second = await start('console.log(2)');
  await second.exited;
  await expect(second.logTail()).resolves.toBe('1\n2');
});

it('gives servers a home of their own', async () => {
  const server = await start('console.log(process.env.HOME, process.env.KUBECONFIG)');
  await server.exited;
  await expect(server.logTail()).resolves.toBe(`${temporary.dir} undefined`);
});

it('says so when the program cannot be run', async () => {
  const surroundings = { workDir: temporary.dir, logDir: temporary.dir };
  await expect(startServerProcess({ name: 'test', file: '/no/such/program', args: [] }, surroundings)).rejects.toThrow(
    'cannot run /no/such/program',
  );
});

it('does not signal another process that got the same pid', async () => {
  const server = await start('setInterval(() => {}, 1e6)');
  const earlier = { pid: server.pid, kernelStartTime: 'another time' };
  signalProcess(earlier, 'SIGKILL');
  expect(isRunning(earlier)).toBe(false);
  expect(identifyProcess(server.pid)).toEqual({ pid: server.pid, kernelStartTime: server.kernelStartTime });
});
