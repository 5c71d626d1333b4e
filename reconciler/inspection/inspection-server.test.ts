import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { connect, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { jsonBody } from './json-body';
import { InspectionServer, type InspectionAnswer } from './inspection-server';

/** Some machines on which the tests run have none. */
const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));

const servers: InspectionServer[] = [];
const logger = new RecordingLogger();

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.stop()));
});

type Reply = (question: InspectionQuestion, acceptsGzip: boolean) => InspectionAnswer;
const echo: Reply = (question) => ({ body: { bytes: jsonBody({ v: 1, question }) } });

async function start(answer: Reply = echo, port = 0, host = '127.0.0.1'): Promise<number> {
  const server = new InspectionServer({ clock: new FakeClock(), logger, address: { host, port }, answer });
  servers.push(server);
  await server.start();
  const { fields } = logger.lines.at(-1)!;
  return Number(String(fields['address']).split(':').at(-1));
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function send(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    sent = '',
  }: { method?: string; headers?: Record<string, string>; sent?: string } = {},
): Promise<Received> {
  return await new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    outgoing.on('error', reject).end(sent);
  });
}

/** Sends bytes as they are, and resolves with all that is received until the connection is closed. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  return await new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (part: string) => (received += part));
    // A reset also ends it: the server does not read what it does not answer.
    socket.on('error', () => undefined).on('close', () => resolve(received));
  });
}

const head = (line: string): string => `${line} HTTP/1.1\r\nhost: localhost\r\n`;

describe('the server', () => {
  it('answers a question in JSON that no cache keeps and no other site embeds', async () => {
    const { status, headers, body } = await send(await start(), '/v1/workloads/deployment/shop/web');
    expect(status).toBe(200);
    const question = { about: 'workload', kind: 'Deployment', namespace: 'shop', name: 'web' };
    expect(JSON.parse(body)).toEqual({ v: 1, question });
    expect(body.endsWith('\n')).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('says how a body is compressed, which it is only for a client that can read it', async () => {
    const port = await start((question, acceptsGzip) => {
      const bytes = jsonBody({ v: 1, question });
      return { body: acceptsGzip ? { bytes: gzipSync(bytes), encoding: 'gzip' } : { bytes } };
    });
    const encodingFor = async (accepted?: string): Promise<string | undefined> => {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
      return (await send(port, '/v1/health', { headers })).headers['content-encoding'];
    };
    expect(await encodingFor('br, GZIP')).toBe('gzip');
    for (const accepted of [undefined, '', 'br', 'gzip;q=0', 'xgzip']) {
      expect(await encodingFor(accepted)).toBeUndefined();
    }
  });

  it('answers HEAD with the same headers and no body', async () => {
    const port = await start();
    const [got, head] = [await send(port, '/v1/health'), await send(port, '/v1/health', { method: 'HEAD' })];
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it('says with a status and in JSON why there is no answer', async () => {
    const problem = { code: 'not-leading', message: 'ask the leader', leader: 'reroll-1' } as const;
    const { status, body } = await send(await start(() => ({ status: 503, problem })), '/v1/workloads');
    expect([status, JSON.parse(body)]).toEqual([503, { v: 1, ...problem }]);
  });

  it.each([
    ['GET', '/v1/nothing', 404, 'no-such-path'],
    ['GET', '/', 404, 'no-such-path'],
    ['GET', '/v1/workloads/Pod/shop/web', 400, 'bad-request'],
    ['GET', '/v1/workloads?limit=2001', 400, 'bad-request'],
    ['POST', '/v1/health', 405, 'method-not-allowed'],
    ['DELETE', '/v1/workloads/Deployment/shop/web', 405, 'method-not-allowed'],
    ['OPTIONS', '/v1/health', 405, 'method-not-allowed'],
    ['TRACE', '/v1/health', 405, 'method-not-allowed'],
    ['GET', 'http://localhost/v1/health', 404, 'no-such-path'],
    ['GET', '//v1/health', 404, 'no-such-path'],
    ['GET', '/v1/workloads/../health', 404, 'no-such-path'],
    ['GET', '/v1/sources/Secret/shop/..', 400, 'bad-request'],
    ['GET', '/v1/sources/Secret/shop/a%2Fb', 400, 'bad-request'],
    ['GET', '/v1/sources/Secret/shop/a%00', 400, 'bad-request'],
    ['GET', '/v1/sources/Secret/%2e%2e/db', 400, 'bad-request'],
  ])('%s %s: %s', async (method, path, status, code) => {
    const answer = await send(await start(), path, { method, sent: method === 'POST' ? 'a body' : '' });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { v: 1, code, message: expect.any(String) }]);
    expect(answer.headers['allow']).toBe(status === 405 ? 'GET, HEAD' : undefined);
  });

  it.each<[string, Record<string, string>]>([
    ['under a name that points to 127.0.0.1', { host: 'evil.example:9095' }],
    ['from another origin', { origin: 'http://evil.example' }],
    ['from a page on another port of localhost', { origin: 'http://localhost:3000' }],
    ['as an image or script', { 'sec-fetch-site': 'cross-site' }],
  ])('tells nothing to a web page that asks %s', async (_how, headers) => {
    const asked: InspectionQuestion[] = [];
    const port = await start((question) => {
      asked.push(question);
      return echo(question, false);
    });
    for (const path of ['/v1/health', '/v1/nothing']) {
      const { status, body } = await send(port, path, { headers });
      expect([status, JSON.parse(body)]).toMatchObject([403, { code: 'forbidden' }]);
    }
    expect(asked).toEqual([]);
  });

  it('survives an answer that throws, and shows nothing of it', async () => {
    const port = await start(() => {
      throw new Error('private text');
    });
    const { status, body } = await send(port, '/v1/health');
    expect(status).toBe(500);
    expect(body).toContain('see the log of this pod');
    expect(body).not.toContain('private text');
    expect(logger.lines.at(-1)).toMatchObject({ level: 'error', fields: { error: 'private text', about: 'health' } });
  });

  it('answers one question of a connection, however many arrive at once', async () => {
    const asked: InspectionQuestion[] = [];
    const port = await start((question) => {
      asked.push(question);
      return echo(question, false);
    });
    const received = await sendRaw(port, `${head('GET /v1/health')}\r\n`.repeat(1_000));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*connection: close\r\n/i);
    expect(received.match(/"about":"health"/g)).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['that has no host', 'GET /v1/health HTTP/1.0\r\n\r\n', 403],
    ['that is too long', `${head(`GET /v1/sources/Secret/shop/${'a'.repeat(20_000)}`)}\r\n`, 431],
    ['with too many bytes in its head', `${head('GET /v1/health')}cookie: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['that is no HTTP', 'give me all\r\n\r\n', 400],
    ['with a body that never ends', `${head('GET /v1/health')}content-length: 1000000\r\n\r\nx`, 200],
    [
      'that would switch to a WebSocket',
      `${head('GET /v1/health')}origin: http://evil.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      403,
    ],
  ])('ends a request %s, and answers the next', async (_what, bytes, status) => {
    const port = await start();
    expect(await sendRaw(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await send(port, '/v1/health')).status).toBe(200);
  });

  it('is no proxy', async () => {
    const port = await start();
    expect(await sendRaw(port, `${head('CONNECT 10.0.0.1:443')}\r\n`)).toBe('');
  });

  it('answers beside connections that say nothing', async () => {
    const port = await start();
    const silent = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    for (const socket of silent) if (socket.connecting) await once(socket, 'connect');
    expect((await send(port, '/v1/health')).status).toBe(200);
    for (const socket of silent) socket.destroy();
  });

  // Skipped where the machine has no loopback address of IPv6 to listen on.
  (hasIPv6 ? it : it.skip)('answers on the loopback address of IPv6', async () => {
    const port = await start(echo, 0, '::1');
    const answer = await fetch(`http://[::1]:${String(port)}/v1/health`);
    expect(answer.status).toBe(200);
  });

  it('stops with open connections', async () => {
    const port = await start();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await servers.splice(0)[0]!.stop();
    await closed;
    await expect(send(port, '/v1/health')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a port that another process uses', () => {
  it('is warned of, and everything else goes on', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await start(echo, port);
    const { level, fields } = logger.lines.at(-1)!;
    expect([level, fields['error']]).toEqual([
      'warn',
      expect.stringContaining(
        'another process uses this port: stop it, or choose another address with --inspection-listen',
      ),
    ]);
    await servers.splice(0)[0]!.stop();
    other.close();
  });
});
