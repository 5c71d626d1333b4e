import { getEventListeners, once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TlsMaterial } from '../access/cluster-access';
import { ConnectionError } from '../errors';
import type { HttpsTransport, HttpsTransportOptions } from './https-transport';
import { createHttpsTransport } from './https-transport';
import { selfSigned } from '../../runtime/tls/tls.fixture';
import type { HttpRequest, HttpResponse } from '../transport';

const certificate = selfSigned('api');
const other = selfSigned('other');
const tls: TlsMaterial = { ca: Buffer.from(certificate.cert) };
const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

interface Api {
  readonly transport: HttpsTransport;
  readonly port: number;
  readonly requests: IncomingMessage[];
}

async function api(
  answer: RequestListener,
  options: Partial<HttpsTransportOptions> = {},
  serverOptions: object = {},
): Promise<Api> {
  const requests: IncomingMessage[] = [];
  const server = createServer({ ...certificate, ...serverOptions }, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  const port = await listen(server);
  const transport = createHttpsTransport({ server: `https://127.0.0.1:${port}`, tls, ...options });
  open.push(() => transport.close());
  return { transport, port, requests };
}

const get: HttpRequest = { method: 'GET', path: '/x?y=1', headers: { accept: 'application/json' }, pool: 'request' };
const watch: HttpRequest = { ...get, pool: 'watch' };

async function text({ body }: HttpResponse): Promise<string> {
  let all = '';
  for await (const chunk of body) all += chunk.toString();
  return all;
}

const ok = (_request: IncomingMessage, response: ServerResponse): void => void response.end('ok');

describe('a request for another protocol', () => {
  const upgrade: HttpRequest = { ...watch, headers: { connection: 'Upgrade', upgrade: 'websocket' } };

  it('hands over the connection, with what came right behind the answer', async () => {
    const server = createServer({ ...certificate });
    server.on('upgrade', (_request, socket: Socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\nfirst');
      socket.on('data', (bytes: Buffer) => socket.end(bytes.toString().toUpperCase()));
    });
    const transport = createHttpsTransport({ server: `https://127.0.0.1:${await listen(server)}`, tls });
    open.push(() => transport.close());
    const { status, headers, upgraded } = await transport.send(upgrade);
    expect([status, headers['upgrade']]).toEqual([101, 'websocket']);
    upgraded?.write(' then');
    let read = '';
    for await (const chunk of upgraded!) read += String(chunk);
    expect(read).toBe('first THEN');
  });

  it('gets an answer without a connection where the server refuses', async () => {
    const { transport } = await api((_request, response) => void response.writeHead(403).end('no'));
    const response = await transport.send(upgrade);
    expect([response.status, response.upgraded, await text(response)]).toEqual([403, undefined, 'no']);
  });
});

describe('createHttpsTransport', () => {
  it('opens one connection for 200 sequential requests', async () => {
    const { transport } = await api(ok);
    for (let i = 0; i < 200; i++) expect(await text(await transport.send(get))).toBe('ok');
    expect(transport.connectionsOpened).toBe(1);
  });

  it('uses separate connections for watches: an open stream takes none from requests', async () => {
    const { transport } = await api(
      (request, response) => {
        if (request.url === '/watch') response.write('begun');
        else response.end('ok');
      },
      { maxRequestSockets: 1 },
    );
    await transport.send({ ...watch, path: '/watch' });
    await transport.send({ ...watch, path: '/watch' });
    expect(await text(await transport.send(get))).toBe('ok');
    expect(transport.connectionsOpened).toBe(3);
  });

  it('has an extra connection for urgent requests while the others are busy', async () => {
    const held: ServerResponse[] = [];
    const { transport } = await api(
      (request, response) => {
        if (request.url === '/hangs') held.push(response);
        else response.end('ok');
      },
      { maxRequestSockets: 2 },
    );
    const urgent = async (): Promise<string> => await text(await transport.send({ ...get, pool: 'urgent' }));
    expect(await urgent()).toBe('ok');
    const hanging = [1, 2].map(async () => await text(await transport.send({ ...get, path: '/hangs' })));
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(transport.connectionsOpened).toBe(2);
    const waiting = transport.send(get);
    expect(await urgent()).toBe('ok');
    expect(await urgent()).toBe('ok');
    expect(transport.connectionsOpened).toBe(3);
    for (const response of held) response.end('at last');
    expect(await Promise.all(hanging)).toEqual(['at last', 'at last']);
    expect(await text(await waiting)).toBe('ok');
  });

  it('uses its connections in turn, so that none is idle for long, and a second burst opens none', async () => {
    const { transport, requests } = await api(ok);
    const burst = async (): Promise<unknown> =>
      await Promise.all(Array.from({ length: 8 }, async () => await text(await transport.send(get))));
    await burst();
    const made = transport.connectionsOpened;
    requests.length = 0;
    for (let i = 0; i < made; i++) await text(await transport.send(get));
    expect(new Set(requests.map(({ socket }) => socket.remotePort)).size).toBe(made);
    await burst();
    expect(transport.connectionsOpened).toBe(made);
  });

  it('opens no more connections for requests than allowed', async () => {
    const { transport } = await api(ok, { maxRequestSockets: 2 });
    await Promise.all(Array.from({ length: 20 }, async () => await text(await transport.send(get))));
    expect(transport.connectionsOpened).toBe(2);
  });

  it('sends method, path behind the prefix, headers and body, and asks for no compression', async () => {
    let received = '';
    const { port, requests } = await api((request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.toString()));
      request.on('end', () => {
        response.writeHead(409, { 'X-Two': ['a', 'b'] });
        response.end('no');
      });
    });
    const transport = createHttpsTransport({ server: `https://127.0.0.1:${port}/clusters/one/`, tls });
    open.push(() => transport.close());
    const answer = await transport.send({ ...get, method: 'PATCH', body: Buffer.from('{"é":1}') });
    expect(answer).toMatchObject({ status: 409, headers: { 'x-two': 'a, b' } });
    expect(await text(answer)).toBe('no');
    expect(received).toBe('{"é":1}');
    expect(requests[0]).toMatchObject({ method: 'PATCH', url: '/clusters/one/x?y=1' });
    expect(requests[0]?.headers).toMatchObject({ accept: 'application/json', 'content-length': '8' });
    expect(requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('sends several groups for impersonation as a header each', async () => {
    const { transport, requests } = await api(ok);
    await text(await transport.send({ ...get, headers: { ...get.headers, 'impersonate-group': 'dev\nops' } }));
    expect(requests[0]?.rawHeaders.join(' ')).toContain('impersonate-group dev impersonate-group ops');
  });

  it('sends the body of a DELETE, which Node frames only with a content length', async () => {
    const received: string[] = [];
    const { transport } = await api((request, response) => {
      void request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
      request.on('end', () => response.end('ok'));
    });
    const deletion = { ...get, method: 'DELETE', body: Buffer.from('{"é":1}') } as const;
    expect((await transport.send(deletion)).status).toBe(200);
    expect(received.join('')).toBe('{"é":1}');
  });

  it('rejects a server whose certificate has another issuer, unless verification is off', async () => {
    const { port } = await api(ok);
    const strict = createHttpsTransport({ server: `https://127.0.0.1:${port}`, tls: { ca: Buffer.from(other.cert) } });
    await expect(strict.send(get)).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    const insecure = createHttpsTransport({ server: `https://127.0.0.1:${port}`, tls: { insecureSkipVerify: true } });
    expect((await insecure.send(get)).status).toBe(200);
    strict.close();
    insecure.close();
  });

  it('verifies against the given name', async () => {
    const { port } = await api(ok);
    const server = `https://127.0.0.1:${port}`;
    const named = createHttpsTransport({ server, tls: { ...tls, serverName: 'kubernetes.default' } });
    const misnamed = createHttpsTransport({ server, tls: { ...tls, serverName: 'elsewhere' } });
    expect((await named.send(get)).status).toBe(200);
    await expect(misnamed.send(get)).rejects.toThrow(/does not match/);
    named.close();
    misnamed.close();
  });

  it('presents its client certificate', async () => {
    const client = { cert: Buffer.from(other.cert), key: Buffer.from(other.key) };
    const { transport } = await api(ok, { tls: { ...tls, ...client } }, { requestCert: true, ca: other.cert });
    expect(await text(await transport.send(get))).toBe('ok');
    const { transport: without } = await api(ok, {}, { requestCert: true, ca: other.cert });
    await expect(without.send(get).then(text)).rejects.toBeInstanceOf(ConnectionError);
  });

  it('uses new TLS material for new connections and keeps open streams', async () => {
    const streams: ServerResponse[] = [];
    const { transport } = await api((request, response) => {
      if (request.url !== '/watch') return void response.end('ok');
      streams.push(response);
      response.write('begun ');
    });
    await text(await transport.send(get));
    const stream = await transport.send({ ...watch, path: '/watch' });
    transport.reload({ ca: Buffer.from(other.cert) });
    await expect(transport.send(get)).rejects.toBeInstanceOf(ConnectionError);
    streams[0]!.end('and ended');
    expect(await text(stream)).toBe('begun and ended');
    transport.reload(tls);
    expect(await text(await transport.send(get))).toBe('ok');
  });

  it('refuses a client certificate that cannot be used, and keeps the material that it has', async () => {
    const unusable = { ...tls, cert: Buffer.from('x'), key: Buffer.from('y') };
    const message =
      /^the client certificate and its key cannot be used: .*no start line; both must be PEM, and belong together$/;
    const refused = expect.objectContaining({ code: 'KUBE_CREDENTIALS', message: expect.stringMatching(message) });
    expect(() => createHttpsTransport({ server: 'https://127.0.0.1:1', tls: unusable })).toThrow(refused);
    const { transport } = await api(ok);
    expect(() => transport.reload(unusable)).toThrow(refused);
    expect(await text(await transport.send(get))).toBe('ok');
  });

  it('keeps no idle connection with the old TLS material', async () => {
    let finish: () => void = () => undefined;
    const { transport, requests } = await api((_request, response) => (finish = () => void response.end('ok')));
    const sending = transport.send(get).then(text);
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = once(requests[0]!.socket, 'close');
    transport.reload(tls);
    finish();
    expect(await sending).toBe('ok');
    await closed;
  });

  it('reports a refused connection, with its cause', async () => {
    const transport = createHttpsTransport({ server: 'https://127.0.0.1:1', tls });
    await expect(transport.send(get)).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'KUBE_CONNECTION',
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('reports a connection that is cut within the body', async () => {
    const { transport } = await api((request, response) => {
      response.write('begun');
      setImmediate(() => request.socket.destroy());
    });
    await expect(transport.send(get).then(text)).rejects.toBeInstanceOf(ConnectionError);
  });

  it('rejects at once when aborted, before the headers and within the body', async () => {
    const { transport } = await api((request, response) => {
      if (request.url === '/watch') response.write('begun');
    });
    const beforeHead = new AbortController();
    const sending = transport.send({ ...get, signal: beforeHead.signal });
    beforeHead.abort();
    await expect(sending).rejects.toBeInstanceOf(ConnectionError);
    await expect(transport.send({ ...get, signal: beforeHead.signal })).rejects.toThrow(/aborted/);

    const withinBody = new AbortController();
    const response = await transport.send({ ...watch, path: '/watch', signal: withinBody.signal });
    const reading = text(response);
    withinBody.abort();
    await expect(reading).rejects.toBeInstanceOf(ConnectionError);
  });

  it('rejects at once when aborted while it waits for a connection, without affecting others', async () => {
    const responses: ServerResponse[] = [];
    const { transport, requests } = await api((_request, response) => responses.push(response), {
      maxRequestSockets: 1,
    });
    const first = transport.send(get).then(text);
    while (responses.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const controller = new AbortController();
    const waiting = transport.send({ ...get, path: '/waiting', signal: controller.signal });
    const third = transport.send(get).then(text);
    controller.abort();
    await expect(waiting).rejects.toThrow(/aborted/);
    responses[0]!.end('first');
    expect(await first).toBe('first');
    while (responses.length === 1) await new Promise((resolve) => setImmediate(resolve));
    responses[1]!.end('third');
    expect(await third).toBe('third');
    expect(requests.map(({ url }) => url)).toEqual([get.path, get.path]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('keeps its connection if the signal fires after the answer', async () => {
    const { transport } = await api(ok);
    const controller = new AbortController();
    await text(await transport.send({ ...get, signal: controller.signal }));
    controller.abort();
    await text(await transport.send(get));
    expect(transport.connectionsOpened).toBe(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('closes the stream when its reader leaves', async () => {
    let closed: Promise<unknown> | undefined;
    const { transport } = await api((request, response) => {
      closed = once(request.socket, 'close');
      response.write('begun');
    });
    for await (const chunk of (await transport.send(watch)).body) {
      expect(chunk.toString()).toBe('begun');
      break;
    }
    await closed;
  });

  it('closes every connection, and waiting requests with them', async () => {
    const { transport } = await api(() => undefined);
    const sending = transport.send(get);
    const failed = expect(sending).rejects.toBeInstanceOf(ConnectionError);
    await new Promise((resolve) => setImmediate(resolve));
    transport.close();
    await failed;
  });

  it('supports http if configured', async () => {
    const port = await listen(createHttpServer(ok));
    const transport = createHttpsTransport({ server: `http://127.0.0.1:${port}`, tls: {} });
    open.push(() => transport.close());
    expect(await text(await transport.send(get))).toBe('ok');
  });
});

describe('an idle connection that the server closed', () => {
  /** Answers the first request on a connection and closes the connection at the next, like a server's idle timeout. */
  async function forgetful(): Promise<{ transport: HttpsTransport; seen: string[] }> {
    const seen: string[] = [];
    const server = createTcpServer((socket) => {
      let answered = false;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        seen.push(bytes.toString().split(' ', 1)[0] ?? '');
        if (answered) return void socket.destroy();
        answered = true;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const transport = createHttpsTransport({ server: `http://127.0.0.1:${await listen(server)}`, tls: {} });
    open.push(() => transport.close());
    return { transport, seen };
  }

  it('is replaced for a GET', async () => {
    const { transport, seen } = await forgetful();
    await text(await transport.send(get));
    expect(await text(await transport.send(get))).toBe('ok');
    expect(seen).toEqual(['GET', 'GET', 'GET']);
    expect(transport.connectionsOpened).toBe(2);
  });

  it('is replaced by a new one, not by another idle one', async () => {
    const { transport } = await forgetful();
    await Promise.all([transport.send(get).then(text), transport.send(get).then(text)]);
    expect(transport.connectionsOpened).toBe(2);
    expect(await text(await transport.send(get))).toBe('ok');
  });

  it('is an error for a write, which may have been carried out', async () => {
    const { transport, seen } = await forgetful();
    await text(await transport.send(get));
    await expect(transport.send({ ...get, method: 'PATCH', body: Buffer.from('{}') })).rejects.toBeInstanceOf(
      ConnectionError,
    );
    expect(seen.filter((method) => method === 'PATCH')).toHaveLength(1);
  });

  it('is not retried twice', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      const first = connections++ === 0;
      let answered = false;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (!first || answered) return void socket.destroy();
        answered = true;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const transport = createHttpsTransport({ server: `http://127.0.0.1:${await listen(server)}`, tls: {} });
    open.push(() => transport.close());
    await text(await transport.send(get));
    await expect(transport.send(get)).rejects.toBeInstanceOf(ConnectionError);
    expect(connections).toBe(2);
  });
});

describe('a connection whose peer is gone without a word', () => {
  it('takes the idle ones with it, so that the next request does not wait for one of them', async () => {
    let isGone = false;
    const server = createTcpServer((socket) => {
      const isOld = !isGone;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (!isOld || !isGone) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const transport = createHttpsTransport({ server: `http://127.0.0.1:${await listen(server)}`, tls: {} });
    open.push(() => transport.close());
    await Promise.all([1, 2, 3].map(async () => await text(await transport.send(get))));
    isGone = true;
    const tooLate = new AbortController();
    const unanswered = transport.send({ ...get, method: 'PUT', body: Buffer.from('{}'), signal: tooLate.signal });
    await new Promise((resolve) => setImmediate(resolve));
    tooLate.abort();
    await expect(unanswered).rejects.toBeInstanceOf(ConnectionError);
    expect(await text(await transport.send({ ...get, method: 'PUT', body: Buffer.from('{}') }))).toBe('ok');
    expect(transport.connectionsOpened).toBe(4);
  });
});
