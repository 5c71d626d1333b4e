import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../fake-clock';
import { HttpServer, type Check, type HttpServerOptions } from './http-server';
import { ListenError } from './listen';
import { RecordingLogger } from '../log/recording-logger';

const passing: Check = { name: 'queue', check: () => ({ ok: true, message: '3 waiting' }) };
const failing: Check = { name: 'watch', check: () => ({ ok: false, message: 'secrets not listed yet' }) };
const throwing: Check = {
  name: 'broken',
  check: () => {
    throw new Error('unforeseen');
  },
};

const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function newServer(options: Partial<HttpServerOptions> = {}): HttpServer {
  return new HttpServer({
    clock: new FakeClock(),
    logger: new RecordingLogger(),
    live: [],
    ready: [],
    metrics: { contentType: 'text/plain; version=0.0.4', text: () => Promise.resolve('up 1\n') },
    ...options,
  });
}

async function start(options: Partial<HttpServerOptions> = {}): Promise<number> {
  const server = newServer(options);
  servers.push(server);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return port;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function send(port: number, path: string, method = 'GET', agent?: Agent): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, ...(agent && { agent }) }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('HttpServer', () => {
  it.each([
    ['/healthz', 'live', [passing], 200, '[+] queue: 3 waiting\nok\n'],
    ['/healthz', 'live', [passing, failing], 500, '[+] queue: 3 waiting\n[-] watch: secrets not listed yet\nfailed\n'],
    ['/healthz', 'live', [throwing], 500, '[-] broken: unforeseen\nfailed\n'],
    ['/healthz', 'live', [], 200, 'ok\n'],
    ['/live', 'live', [passing], 200, 'alive'],
    ['/live', 'live', [failing], 500, ''],
    [
      '/readyz?verbose',
      'ready',
      [passing, failing],
      // As the API server's own: of a 503, kubectl get --raw says only that the server is unable to handle the request.
      500,
      '[+] queue: 3 waiting\n[-] watch: secrets not listed yet\nfailed\n',
    ],
    ['/readyz?verbose', 'ready', [passing], 200, '[+] queue: 3 waiting\nok\n'],
  ] as const)('%s with %s checks %j answers %i', async (path, probe, checks, status, body) => {
    expect(await send(await start({ [probe]: checks }), path)).toMatchObject({ status, body });
  });

  it.each([
    [[passing], 200, { ok: true, checks: [{ name: 'queue', ok: true, message: '3 waiting' }] }],
    [[failing], 500, { ok: false, checks: [{ name: 'watch', ok: false, message: 'secrets not listed yet' }] }],
  ])('/readyz answers JSON with every check', async (ready, status, report) => {
    const answer = await send(await start({ ready }), '/readyz');
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(JSON.parse(answer.body)).toEqual(report);
  });

  it.each(['/readyz?verbose', '/readyz', '/healthz'])(
    '%s lets no name in a message forge a line, control a terminal or hide',
    async (path) => {
      const check = { name: 'engine', check: () => ({ ok: false, message: 'held by a\n[+] forged\u001b[2J\u202e' }) };
      const { body } = await send(await start({ ready: [check], live: [check] }), path);
      for (const raw of ['\n[+] forged', '\u001b', '\u202e']) expect(body).not.toContain(raw);
      expect(body.replaceAll('\\\\', '\\')).toContain(String.raw`held by a\n[+] forged\u001b[2J\u202e`);
    },
  );

  it('probes liveness and readiness separately', async () => {
    const port = await start({ live: [passing], ready: [failing] });
    expect((await send(port, '/healthz')).status).toBe(200);
    expect((await send(port, '/readyz')).status).toBe(500);
  });

  it('runs the checks each time', async () => {
    let ok = false;
    const port = await start({ ready: [{ name: 'synced', check: () => ({ ok, message: '' }) }] });
    expect((await send(port, '/readyz')).status).toBe(500);
    ok = true;
    expect((await send(port, '/readyz')).status).toBe(200);
  });

  it('serves the metrics with their content type', async () => {
    const { status, headers, body } = await send(await start(), '/metrics');
    expect({ status, body }).toEqual({ status: 200, body: 'up 1\n' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4');
  });

  it('answers 500 without a stack when the metrics fail, and goes on', async () => {
    const metrics = { contentType: 'text/plain', text: () => Promise.reject(new Error('internals')) };
    const port = await start({ metrics });
    const answer = await send(port, '/metrics');
    expect(answer).toMatchObject({ status: 500, body: 'internals\n' });
    expect((await send(port, '/healthz')).status).toBe(200);
  });

  it('does not reveal its framework', async () => {
    expect((await send(await start(), '/healthz')).headers).not.toHaveProperty('x-powered-by');
  });

  it.each(['/', '/debug/pprof/', '/healthz/x', '/metricsx', '/%', '/%c0'])('answers 404 for %s', async (path) => {
    expect((await send(await start(), path)).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'DELETE'])('rejects %s', async (method) => {
    const { status, headers } = await send(await start(), '/metrics', method);
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD');
  });

  it('answers HEAD with the status and no body', async () => {
    expect(await send(await start({ live: [failing] }), '/healthz', 'HEAD')).toMatchObject({ status: 500, body: '' });
  });

  it('names the address and the fix when the port is taken', async () => {
    const port = await start();
    const server = newServer();
    const listening = server.listen({ host: '127.0.0.1', port });
    await expect(listening).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another process uses this port: stop it, or choose another address with --listen`,
    );
    await expect(listening).rejects.toBeInstanceOf(ListenError);
    await server.close();
  });

  it('names an address that the machine does not have', async () => {
    const server = newServer();
    await expect(server.listen({ host: '192.0.2.1', port: 0 })).rejects.toThrow(
      'cannot listen on 192.0.2.1:0: this machine has no such address',
    );
  });

  it('closes although a connection is kept alive', async () => {
    const port = await start();
    const agent = new Agent({ keepAlive: true });
    await send(port, '/healthz', 'GET', agent);
    await servers.pop()?.close();
    await expect(send(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });
});

describe('a client that keeps it busy', () => {
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('gets the metrics of the last second, rendered once for all', async () => {
    const clock = new FakeClock();
    let renders = 0;
    const metrics = { contentType: 'text/plain', text: async () => await Promise.resolve(`renders ${++renders}\n`) };
    const port = await start({ clock, metrics });
    const scraped = await Promise.all(Array.from({ length: 20 }, async () => await send(port, '/metrics')));
    expect(new Set(scraped.map(({ body }) => body))).toEqual(new Set(['renders 1\n']));
    await clock.advance(1_000);
    expect((await send(port, '/metrics')).body).toBe('renders 2\n');
  });

  it('does not delay a probe: endless heads are closed, and cost no memory', async () => {
    const port = await start({ live: [passing] });
    const closed: Promise<unknown>[] = [];
    for (let index = 0; index < 300; index++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      closed.push(once(socket, 'close'));
      await once(socket, 'connect');
      socket.write(`GET /metrics HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(4_000)}`);
    }
    expect((await send(port, '/healthz')).status).toBe(200);
    // Wait until all but the maximum for one address are closed; the probe's connection counts too.
    while (sockets.filter((socket) => !socket.closed).length > 32)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await send(port, '/healthz')).status).toBe(200);
  });

  it('does not delay a probe by unread answers', async () => {
    const text = async (): Promise<string> => await Promise.resolve('x'.repeat(8 * 1024 * 1024));
    const port = await start({ live: [passing], metrics: { contentType: 'text/plain', text } });
    for (let index = 0; index < 32; index++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      socket.pause();
      socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    expect((await send(port, '/healthz')).status).toBe(200);
  });
});
