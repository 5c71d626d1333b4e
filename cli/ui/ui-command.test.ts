import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { ConnectionError } from '../../shared/kube/errors';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { runCli } from '../../shared/runtime/options/cli';
import { clusterThatSays } from './cluster.fixture';
import { uiCommandIn, type UiWorld } from './ui-command';

const random = { float: () => 0, bytes: (length: number) => Buffer.alloc(length, 0xab) };
const token = 'ab'.repeat(16);
const workloads = { v: 1, workloads: [{ kind: 'Deployment', namespace: 'shop', name: 'web', state: 'in-step' }] };

/** The command, until it has printed its address or ended. */
async function run(args: readonly string[], more: Partial<UiWorld> = {}) {
  const [err, launched]: [string[], string[][]] = [[], []];
  const clock = new FakeClock();
  const { cluster, asked } = clusterThatSays({ '/v1/workloads': workloads });
  let interrupt = (): void => undefined;
  let printed: (text: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => (printed = resolve));
  const io = { columns: 80, out: (text: string) => printed(text.trim()), err: (text: string) => void err.push(text) };
  const world: UiWorld = {
    ...{ io, clock, random, platform: 'linux', isTerminal: false, isErrorTerminal: false },
    launch: (command, args) => void launched.push([command, ...args]),
    connect: async () => await Promise.resolve(cluster),
    onInterrupt: (callback) => (interrupt = callback),
    ...more,
  };
  const load = async () => await Promise.resolve(uiCommandIn(world));
  const code = runCli(['ui', ...args], {}, io, [{ name: 'ui', summary: 'Shows.', load }]);
  return {
    ...{ code, err, launched, asked, clock },
    address: await Promise.race([address, code.then(() => '')]),
    interrupt: () => interrupt(),
  };
}

async function firstLine(address: string): Promise<unknown> {
  const [origin = ''] = address.split('#');
  const aborted = new AbortController();
  const response = await fetch(`${origin}api/live`, {
    headers: { authorization: `Bearer ${token}` },
    signal: aborted.signal,
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes('"rows"')) break;
  }
  return JSON.parse(text.trim().split('\n').at(-1) ?? '');
}

describe('reroll ui', () => {
  it('prints an address with a token, serves the page there, and ends with Ctrl-C', async () => {
    const { address, code, interrupt, err } = await run([]);
    expect(address).toMatch(new RegExp(String.raw`^http://127\.0\.0\.1:\d+/#token=${token}$`));
    expect(err.join('')).toContain('This address is for you alone');
    const page = await fetch(address);
    expect([page.status, (await page.text()).includes('<title>Reroll</title>')]).toEqual([200, true]);
    expect(await firstLine(address)).toMatchObject({ rows: { changed: workloads.workloads } });
    interrupt();
    expect(await code).toBe(130);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('asks for one namespace alone with --namespace', async () => {
    const { address, code, interrupt, asked } = await run(['-n', 'shop']);
    expect(await firstLine(address)).toMatchObject({ namespace: 'shop' });
    expect(asked).toContain('/v1/workloads?namespace=shop&limit=2000&continue=');
    expect(asked).toContain('/v1/history?namespace=shop&limit=200');
    interrupt();
    await code;
  });

  it.each([
    ['on a terminal', [], true, 1],
    ['not with --no-open', ['--no-open'], true, 0],
    ['not where nobody looks', [], false, 0],
  ])('opens a browser %s', async (_when, args, isTerminal, count) => {
    const { code, interrupt, launched, address } = await run(args, { isTerminal });
    expect(launched).toHaveLength(count);
    const file = launched[0]?.[1];
    if (file !== undefined) expect(readFileSync(file, 'utf8')).toContain(address);
    interrupt();
    await code;
    expect(file === undefined || !existsSync(file)).toBe(true);
  });

  it('serves the page also if no browser can be started, and Ctrl-C ends it', async () => {
    const failing = (): never => {
      throw new Error('spawn EAGAIN');
    };
    const { code, interrupt, address } = await run([], { isTerminal: true, launch: failing });
    expect((await fetch(address)).status).toBe(200);
    interrupt();
    expect(await code).toBe(130);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('removes the file that the browser was told to open after a minute', async () => {
    const { code, interrupt, launched, clock } = await run([], { isTerminal: true });
    const file = launched[0]?.[1] ?? '';
    await clock.advance(59_000);
    expect(existsSync(file)).toBe(true);
    await clock.advance(1_000);
    expect(existsSync(file)).toBe(false);
    interrupt();
    await code;
  });

  it('uses the port that --port names, and ends with 1 if another process has it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = await run(['--port', String(port)]);
    expect(await taken.code).toBe(1);
    expect(taken.err.join('')).toBe(
      `cannot listen on 127.0.0.1:${port}: another process uses this port: stop it, or choose another address with --port\n`,
    );
    other.close();
    await once(other, 'close');
    const { address, interrupt, code } = await run([`--port=${port}`]);
    expect(new URL(address).port).toBe(String(port));
    interrupt();
    await code;
  });

  const unreachable = (): never => {
    throw new ConnectionError('connect ECONNREFUSED');
  };
  it.each<[string, () => Reply, RegExp]>([
    [
      'does not answer',
      unreachable,
      /^the API server does not answer: connect ECONNREFUSED\. Is it the right --context/,
    ],
    ['refuses the credentials', () => refusal(401, 'Unauthorized'), /^the API server refuses your credentials/],
    ['is a login page', () => ({ body: '<html>' }), /^what answers is no API server/],
  ])('ends with 3, without a page, if the API server %s', async (_what, reply, expected) => {
    const { client } = clientWorld(reply);
    const connect = async () => await Promise.resolve({ ...clusterThatSays({}).cluster, client });
    const { code, address, err, launched } = await run([], { connect, isTerminal: true });
    expect([await code, address, launched]).toEqual([3, '', []]);
    expect(err.join('')).toMatch(expected);
  });

  it.each([403, 429, 503])('serves the page although the API server answers %d at first', async (status) => {
    const { client } = clientWorld(() => refusal(status, 'Reason'));
    const connect = async () => await Promise.resolve({ ...clusterThatSays({}).cluster, client });
    const { code, address, interrupt } = await run([], { connect });
    expect(address).toMatch(/^http:/);
    interrupt();
    expect(await code).toBe(130);
  });

  it.each([['--port=65536'], ['--port=x'], ['--port=-1'], ['deployment/web'], ['-o=json']])(
    'refuses %s',
    async (arg) => {
      expect(await (await run([arg])).code).toBe(2);
    },
  );
});
