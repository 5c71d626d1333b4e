import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { LiveFeed } from './live-feed';
import type { Reading } from './live-reading';
import type { Standing, WorkloadRow } from './model/live-message';
import { PageServer } from './page-server';

const token = '0123456789abcdef0123456789abcdef';
const authorization = `Bearer ${token}`;
const servers: PageServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

const standing: Standing = { from: 'leader', leader: 'reroll-0', missing: [], hasHistory: true };
const row = (name: string, state = 'in-step'): WorkloadRow => ({ kind: 'Deployment', namespace: 'shop', name, state });

async function start() {
  const clock = new FakeClock();
  const state: { reading: Reading; asked: string[] } = {
    reading: { standing, found: { rows: [row('web')], history: [] } },
    asked: [],
  };
  const feed = new LiveFeed({ clock, namespace: undefined, read: async () => await Promise.resolve(state.reading) });
  const answers = {
    answer: async (path: string) => {
      state.asked.push(path);
      return await Promise.resolve({ status: 200, body: { message: 'web\u202e' } });
    },
  };
  const server = new PageServer({ clock, feed, answers, token });
  servers.push(server);
  return { clock, state, port: await server.listen(0) };
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function send(port: number, path: string, headers: object = {}, method = 'GET'): Promise<Received> {
  return await new Promise((resolve, reject) => {
    const all = { host: `127.0.0.1:${port}`, ...headers };
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: all, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    outgoing.on('error', reject).end();
  });
}

/** A stream of changes, as far as it was read. */
async function follow(port: number) {
  const lines: string[] = [];
  const outgoing = request({
    ...{ host: '127.0.0.1', port, path: '/api/live', agent: false },
    headers: { host: `127.0.0.1:${port}`, authorization },
  });
  const response = await new Promise<IncomingMessage>((resolve) => {
    outgoing
      .once('response', resolve)
      .on('error', () => undefined)
      .end();
  });
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (part: string) => lines.push(...part.split('\n').filter(Boolean)));
  const until = async (count: number): Promise<void> => {
    while (lines.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { status: response.statusCode, lines, until, close: () => outgoing.destroy() };
}

describe('the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/?workload=Deployment/shop/web', 'text/html; charset=utf-8'],
    ['/page.js', 'text/javascript; charset=utf-8'],
    ['/page.css', 'text/css; charset=utf-8'],
    ['/page.svg', 'image/svg+xml; charset=utf-8'],
  ])('%s needs no token: it tells nothing of the cluster', async (path, type) => {
    const { port } = await start();
    const { status, headers } = await send(port, path, { 'sec-fetch-site': 'cross-site' });
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  it('lets a browser load and send nothing but its own, and show it nowhere else', async () => {
    const { port } = await start();
    for (const path of ['/', '/page.js', '/api/workloads/Deployment/shop/web', '/api/live', '/nothing']) {
      const { headers } = await send(port, path, path === '/api/live' ? {} : { authorization });
      const policy = String(headers['content-security-policy']);
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "require-trusted-types-for 'script'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it('names no other host and no inline script', async () => {
    const { port } = await start();
    const { body } = await send(port, '/');
    expect(body).not.toMatch(/https?:|<script>|style=|onload/);
  });

  it.each([
    '/etc/passwd',
    '/../package.json',
    '/%2e%2e/package.json',
    '/page.js/../../x',
    '//page.js',
    '/.env',
    '/ui-command.ts',
  ])('no path leads to a file: %s', async (path) => {
    const { port } = await start();
    expect((await send(port, path, { authorization })).status).toBe(404);
  });
});

describe('answers', () => {
  it('are for who has the token, and cannot turn the text around them', async () => {
    const { port, state } = await start();
    const { status, headers, body } = await send(port, '/api/workloads/Deployment/shop/web', { authorization });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toBe(String.raw`{"message":"web\\u202e"}`);
    expect(state.asked).toEqual(['/workloads/Deployment/shop/web']);
  });

  it.each<[string, number, object, string]>([
    ['without a token', 401, {}, 'GET'],
    ['with a wrong token', 401, { authorization: `Bearer ${'0'.repeat(32)}` }, 'GET'],
    ['under a name that leads to 127.0.0.1', 403, { authorization, host: 'evil.example:80' }, 'GET'],
    ['of another origin', 403, { authorization, origin: 'http://evil.example' }, 'GET'],
    ['that another site causes', 403, { authorization, 'sec-fetch-site': 'cross-site' }, 'GET'],
    ['by POST', 405, { authorization }, 'POST'],
    ['by DELETE', 405, { authorization }, 'DELETE'],
    ['before a request of another origin', 405, { origin: 'http://evil.example' }, 'OPTIONS'],
  ])('are not given %s', async (_how, status, headers, method) => {
    const { port, state } = await start();
    for (const path of ['/api/workloads/Deployment/shop/web', '/api/sources/Secret/shop/db', '/api/live']) {
      const received = await send(port, path, headers, method);
      expect([received.status, Object.keys(JSON.parse(received.body) as object)]).toEqual([
        status,
        expect.arrayContaining(['message']),
      ]);
    }
    expect(state.asked).toEqual([]);
  });

  it('survive what is no HTTP, and heads that are too long', async () => {
    const { port } = await start();
    for (const bytes of ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`]) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        socket
          .on('data', () => undefined)
          .on('error', () => undefined)
          .on('close', () => resolve());
      });
    }
    expect((await send(port, '/')).status).toBe(200);
  });
});

describe('the stream of changes', () => {
  it('begins with everything, goes on with changes, and shows that it is alive', async () => {
    const { clock, port, state } = await start();
    const stream = await follow(port);
    await stream.until(1);
    await clock.settle();
    const first = stream.lines.length;
    state.reading = { standing, found: { rows: [row('web', 'pending'), row('api')], history: [] } };
    await clock.advance(600);
    await stream.until(first + 1);
    expect(JSON.parse(stream.lines.at(-1) ?? '')).toEqual({
      standing,
      rows: { isWhole: false, changed: [row('web', 'pending'), row('api')], removed: [] },
    });
    await clock.advance(5_100);
    await stream.until(first + 2);
    expect(JSON.parse(stream.lines.at(-1) ?? '')).toEqual({ standing });
    stream.close();
  });

  it('keeps nothing for a page that does not read, and tells it the newest when it does', async () => {
    const { clock, port, state } = await start();
    const [rounds, rowsEach] = [200, 500];
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET /api/live HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${authorization}\r\n\r\n`);
      socket.pause();
    });
    socket.setEncoding('latin1').on('data', (part: string) => (received += part));
    await new Promise((resolve) => socket.once('connect', resolve));
    // All messages together are 30 MB, which no buffer of the system holds.
    for (let round = 1; round <= rounds; round++) {
      const rows = Array.from({ length: rowsEach }, (_, index) => row(`${'x'.repeat(200)}-${index}`, `round-${round}`));
      state.reading = { standing, found: { rows, history: [] } };
      await clock.advance(500);
    }
    socket.resume();
    while (!received.includes(`round-${rounds}`)) await new Promise((resolve) => setImmediate(resolve));
    const messages = received.split('\n').filter((line) => line.startsWith('{"standing"'));
    expect(messages.length).toBeLessThan(rounds / 2);
    socket.destroy();
  });

  it('is open 32 times at most', async () => {
    const { port } = await start();
    const streams = [];
    for (let index = 0; index < 32; index++) streams.push(await follow(port));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
    const { status, body } = await send(port, '/api/live', { authorization });
    expect([status, JSON.parse(body)]).toEqual([503, { message: 'more than 32 pages are open: close some of them' }]);
    streams[0]?.close();
    let next = await follow(port);
    while (next.status === 503) next = await follow(port);
    expect(next.status).toBe(200);
    for (const { close } of [...streams, next]) close();
  });

  it('lets the leader rest when the last page is closed', async () => {
    const { clock, port } = await start();
    const streams = [await follow(port), await follow(port)];
    await Promise.all(streams.map(async ({ until }) => await until(1)));
    expect(clock.pendingTimers).toBeGreaterThan(0);
    for (const { close } of streams) close();
    while (clock.pendingTimers > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('ends with the server', async () => {
    const { port } = await start();
    await follow(port);
    await servers.splice(0)[0]?.close();
  });
});
