import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Room } from './deployed-rights';
import { Rooms } from './rooms.fixture';

const timeoutMs = 60_000;

let rooms: Rooms;

beforeEach(async () => {
  rooms = await Rooms.open();
});

afterEach(async () => {
  await rooms.close();
});

describe('an address that cannot be had', () => {
  let other: Server;

  beforeEach(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
  });

  afterEach(() => {
    other.close();
  });

  it.each<[Room, string, string]>([
    ['reconciler', 'channel-listen', 'change channel'],
    ['webhook', 'webhook-listen', 'webhook server'],
    ['certs', 'listen', 'metrics and probes'],
  ])(
    'ends %s, which names --%s',
    async (room, flag, component) => {
      const address = `127.0.0.1:${String((other.address() as AddressInfo).port)}`;
      const running = await rooms.run(room, `--${flag}=${address}`);
      expect(await running.line(({ level }) => level === 'error', timeoutMs)).toMatchObject({
        component,
        error: `cannot listen on ${address}: another process uses this port: stop it, or choose another address with --${flag}`,
      });
      expect(await running.exited()).toEqual({ code: 1, signal: null });
    },
    timeoutMs,
  );
});

it.each<[Room, string]>([
  ['reconciler', 'channel-listen'],
  ['webhook', 'webhook-listen'],
])(
  '%s refuses to start with --%s at the port of --listen',
  async (room, flag) => {
    const running = await rooms.run(room, '--listen=:9555', `--${flag}=127.0.0.1:9555`);
    expect(await running.exited()).toEqual({ code: 2, signal: null });
    expect(running.stderr).toContain(`--${flag} and --listen are both port 9555: give each a port of its own`);
    expect(running.lines).toEqual([]);
  },
  timeoutMs,
);

describe('certificates out of a directory', () => {
  it.each<[string, (dir: string) => Promise<string>, RegExp]>([
    ['that is not there', async (dir) => await Promise.resolve(join(dir, 'none')), /ENOENT.*none\/tls\.crt/],
    [
      'that is a file',
      async (dir) => {
        await writeFile(join(dir, 'file'), '');
        return join(dir, 'file');
      },
      /ENOTDIR.*file\/tls\.crt/,
    ],
  ])(
    '%s are waited for, and probe and log say what is missing',
    async (_what, make, problem) => {
      const directory = await make(rooms.dir);
      const running = await rooms.run('webhook', `--tls-dir=${directory}`);
      const warning = await running.line((entry) => entry['directory'] === directory, timeoutMs);
      expect(warning).toMatchObject({ level: 'warn', problem: expect.stringMatching(problem) });
      const { address } = await running.line(({ message }) => message === 'serving metrics and probes');
      const answer = await fetch(`http://${String(address)}/readyz?verbose`);
      expect(answer.status).toBe(500);
      expect(await answer.text()).toContain('[-] certificate: there is none yet: see --certs-secret and --tls-dir');
    },
    timeoutMs,
  );
});

describe('Ctrl-C', () => {
  it.each<Room>(['reconciler', 'certs'])(
    'ends %s though no API server answers',
    async (room) => {
      const running = await rooms.run(room, `--kubeconfig=${await rooms.kubeconfigToNowhere()}`);
      await running.line(({ message }) => message === 'started', timeoutMs);
      expect(await running.end('SIGINT')).toEqual({ code: 0, signal: null });
      // Newer versions of Node print a deprecation warning about a dependency of the kubeconfig reader. It is not a
      // crash.
      expect(running.stderr.replace(/^\(node:\d+\) \[DEP0040\].*\n\(Use .*\n/gm, '')).toBe('');
    },
    timeoutMs,
  );

  it(
    'once more ends a webhook that lets its callers leave',
    async () => {
      const running = await rooms.run('webhook', `--kubeconfig=${await rooms.kubeconfigToNowhere()}`);
      await running.line(({ message }) => message === 'started', timeoutMs);
      const ended = running.end('SIGINT');
      await running.line(({ message }) => message === 'stopping');
      expect(await running.end('SIGINT')).toEqual({ code: 130, signal: null });
      await ended;
    },
    timeoutMs,
  );

  it.each<Room>(['reconciler', 'webhook', 'certs'])(
    'during the start of %s ends it without a trace',
    async (room) => {
      const running = await rooms.run(room);
      const { code, signal } = await running.end('SIGINT');
      expect(code === 0 || code === 130 || signal === 'SIGINT').toBe(true);
      expect(running.stderr).toBe('');
    },
    timeoutMs,
  );
});
