import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { selfSigned } from '../runtime/tls/tls.fixture';
import { GetError, httpGet, type GetRequest } from './http-get';

const certificate = selfSigned('other');
const forever = new AbortController().signal;
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly serverName: unknown;
}

/** A server that records what it gets. */
async function server(protocol: GetRequest['protocol'], answer: RequestListener) {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const { method, url, headers, socket } = request;
    received.push({ method, url, headers, serverName: socket instanceof TLSSocket ? socket.servername : undefined });
    answer(request, response);
  };
  const listening = protocol === 'https' ? https.createServer(certificate, listener) : http.createServer(listener);
  const sockets = new Set<Socket>();
  listening.on('connection', (socket: Socket) => sockets.add(socket));
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  closers.push(() => {
    listening.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = listening.address() as AddressInfo;
  const request: GetRequest = {
    ...{ protocol, host: '127.0.0.1', port, path: '/healthz?deep=1', headers: { host: 'web.shop.svc' } },
    maxBodyBytes: 0,
  };
  return { received, request };
}

async function failureOf(getting: Promise<unknown>): Promise<string> {
  const thrown = await getting.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(GetError);
  return (thrown as GetError).message;
}

/** Writes as long as somebody reads. */
const endless: RequestListener = (_request, response) => {
  const write = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(65_536))) setImmediate(write);
  };
  response.on('drain', write);
  write();
};

describe('httpGet', () => {
  it.each([200, 204, 404, 500, 503])('tells status %i, and sends nothing but the request', async (status) => {
    const { received, request } = await server('http', (_request, response) => void response.writeHead(status).end());
    expect(await httpGet(request, forever)).toEqual({ status, body: '' });
    expect(received).toEqual([
      {
        ...{ method: 'GET', url: '/healthz?deep=1', serverName: undefined },
        headers: { host: 'web.shop.svc', 'user-agent': 'reroll', connection: 'close' },
      },
    ]);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect of %i', async (status) => {
    const elsewhere = await server('http', (_request, response) => void response.end());
    const location = `http://127.0.0.1:${elsewhere.request.port}/`;
    const { request } = await server(
      'http',
      (_request, response) => void response.writeHead(status, { location }).end(),
    );
    expect(await httpGet(request, forever)).toEqual({ status, body: '' });
    expect(elsewhere.received).toEqual([]);
  });

  it('reads no body if none is wanted, however long it is', async () => {
    const { request } = await server('http', endless);
    expect(await httpGet(request, forever)).toEqual({ status: 200, body: '' });
  });

  it('reads a body up to its limit, and no further', async () => {
    const { request } = await server('http', (_request, response) => void response.end('größe'));
    expect(await httpGet({ ...request, maxBodyBytes: 7 }, forever)).toEqual({ status: 200, body: 'größe' });
    expect(await failureOf(httpGet({ ...request, maxBodyBytes: 6 }, forever))).toBe('an answer of more than 6 bytes');
    const { request: toEndless } = await server('http', endless);
    const message = await failureOf(httpGet({ ...toEndless, maxBodyBytes: 65_536 }, forever));
    expect(message).toBe('an answer of more than 65536 bytes');
  });

  it('tells that nobody listens, and a name that does not resolve, without naming either', async () => {
    const request = { protocol: 'http', host: '127.0.0.1', port: 1, path: '/', headers: {}, maxBodyBytes: 0 } as const;
    expect(await failureOf(httpGet(request, forever))).toBe('no answer (ECONNREFUSED)');
    expect(await failureOf(httpGet({ ...request, host: 's3cret.invalid' }, forever))).toMatch(
      /^no answer \((ENOTFOUND|EAI_AGAIN)\)$/,
    );
  });

  it('tells that a connection is cut, and an answer that is no HTTP', async () => {
    const { request } = await server('http', ({ socket }) => void socket.destroy());
    expect(await failureOf(httpGet(request, forever))).toBe('no answer (ECONNRESET)');
    const { request: toGarbage } = await server('http', ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await failureOf(httpGet(toGarbage, forever))).toMatch(/^no answer \(HPE_/);
  });

  it.each([
    ['before the answer', (): void => undefined],
    ['within the body', (_request: IncomingMessage, response: http.ServerResponse) => void response.write('{')],
  ])('ends %s when it is aborted', async (_when, answer) => {
    const controller = new AbortController();
    const { request } = await server('http', (incoming, response) => {
      answer(incoming, response);
      setImmediate(() => controller.abort());
    });
    expect(await failureOf(httpGet({ ...request, maxBodyBytes: 100 }, controller.signal))).toMatch(/^no answer \(/);
  });

  it('takes no certificate that it cannot verify', async () => {
    const { received, request } = await server('https', (_request, response) => void response.end());
    expect(await failureOf(httpGet(request, forever))).toMatch(/^no answer \((DEPTH_ZERO_)?SELF_SIGNED_CERT/);
    expect(received).toEqual([]);
  });

  it('takes any certificate if that is wanted, and tells whom it means', async () => {
    const { received, request } = await server('https', (_request, response) => void response.end());
    const anyCertificate = { serverName: 'web.shop.svc' };
    expect(await httpGet({ ...request, anyCertificate }, forever)).toEqual({ status: 200, body: '' });
    expect(received).toMatchObject([{ serverName: 'web.shop.svc' }]);
  });

  it('asks no proxy of the environment', async () => {
    const { request } = await server('http', (_request, response) => void response.end());
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    try {
      expect(await httpGet(request, forever)).toMatchObject({ status: 200 });
    } finally {
      delete process.env['HTTP_PROXY'];
    }
  });
});
