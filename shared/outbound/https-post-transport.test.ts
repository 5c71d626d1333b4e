import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../runtime/fake-clock';
import { selfSigned } from '../runtime/tls/tls.fixture';
import { HttpsPostTransport, type HttpsPostTransportOptions } from './https-post-transport';
import { PostError } from './post-transport';

const certificate = selfSigned('sink');
const post = { contentType: 'application/json', body: Buffer.from('{"text":"größe"}') };
const forever = new AbortController().signal;
const path = '/services/T0/s3cret?token=s3cret';
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** SNI of the TLS handshake. */
  readonly serverName?: unknown;
}

async function listen(server: Server | net.Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that records the requests it gets. */
async function receiver(secure: boolean, answer: RequestListener = (_request, response) => void response.end('ok')) {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const serverName = request.socket instanceof TLSSocket ? { serverName: request.socket.servername } : {};
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString(), ...serverName });
      answer(request, response);
    });
  };
  const port = await listen(secure ? https.createServer(certificate, listener) : http.createServer(listener));
  return { received, port, url: new URL(`${secure ? 'https' : 'http'}://127.0.0.1:${port}${path}`) };
}

interface ProxyOptions {
  readonly secure?: boolean;
  /** The answer to CONNECT. */
  readonly status?: number;
  /** The port of every tunnel, whatever was asked for: names outside need not be resolved. */
  readonly to?: number;
}

/** A forward proxy: CONNECT for https, absolute-form for http. */
async function forwardProxy({ secure = false, status = 200, to }: ProxyOptions = {}) {
  const asked: { readonly line: string; readonly authorization: string | undefined }[] = [];
  const serverNames: unknown[] = [];
  const onRequest: RequestListener = (request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, authorization: request.headers['proxy-authorization'] });
    const { hostname, port, pathname, search } = new URL(request.url!);
    const { host } = request.headers;
    const onward = http.request({ hostname, port, path: pathname + search, method: request.method, headers: { host } });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  };
  const proxy = secure ? https.createServer(certificate, onRequest) : http.createServer(onRequest);
  proxy.on('secureConnection', ({ servername }: TLSSocket) => serverNames.push(servername));
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push({ line: `${request.method} ${request.url}`, authorization: request.headers['proxy-authorization'] });
    socket.on('error', () => undefined);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const onward = net.connect(to ?? Number(request.url!.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    closers.push(() => onward.destroy());
  });
  const port = await listen(proxy);
  return { asked, serverNames, url: new URL(`${secure ? 'https' : 'http'}://user:p%40ss@127.0.0.1:${port}`) };
}

function transportTo(url: URL, options: Partial<HttpsPostTransportOptions> = {}): HttpsPostTransport {
  return new HttpsPostTransport({
    clock: new FakeClock(),
    url,
    loadCa: async () => await Promise.resolve(certificate.cert),
    ...options,
  });
}

/** The message of a failed post. The error must have no cause. */
async function failureOf(posting: Promise<unknown>): Promise<string> {
  const thrown = await posting.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(PostError);
  const error = thrown as PostError;
  expect(error.cause).toBeUndefined();
  return error.message;
}

describe.each([
  ['http', false],
  ['https', true],
])('over %s', (_scheme, secure) => {
  it('§14.2 posts body and content type to the whole path', async () => {
    const { received, url, port } = await receiver(secure);
    expect(await transportTo(url).post(post, forever)).toEqual({ status: 200, retryAfterMs: undefined });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: path,
        headers: expect.objectContaining({ 'content-type': 'application/json', host: `127.0.0.1:${port}` }),
        body: '{"text":"größe"}',
      },
    ]);
  });

  it('sends name and password of the address as a header', async () => {
    const { received, url } = await receiver(secure);
    url.username = 'me';
    url.password = '50%:x';
    await transportTo(url).post(post, forever);
    expect(received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:50%:x').toString('base64')}`);
  });

  it('sends configured headers, which win over name and password, and never over what is sent', async () => {
    const { received, url } = await receiver(secure);
    url.username = 'me';
    const headers = {
      'api-key': 'a1',
      authorization: 'Bearer b2',
      'content-length': '1',
      'content-type': 'text/plain',
    };
    await transportTo(url, { headers }).post(post, forever);
    expect(received).toMatchObject([
      {
        headers: { 'api-key': 'a1', authorization: 'Bearer b2', 'content-type': 'application/json' },
        body: '{"text":"größe"}',
      },
    ]);
  });

  it('returns the status, and how long the receiver asks to wait', async () => {
    const { url } = await receiver(
      secure,
      (_request, response) => void response.writeHead(429, { 'retry-after': '7' }).end(),
    );
    expect(await transportTo(url).post(post, forever)).toEqual({ status: 429, retryAfterMs: 7_000 });
  });

  it('does not wait for the end of an answer that never ends', async () => {
    const { url } = await receiver(secure, (_request, response) => void response.writeHead(200).write('x'));
    expect((await transportTo(url).post(post, forever)).status).toBe(200);
  });

  it('ends when it is aborted, and leaves no connection behind', async () => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const { url } = await receiver(secure, (request) => {
      closed.push(once(request.socket, 'close'));
      controller.abort();
    });
    expect(await failureOf(transportTo(url).post(post, controller.signal))).toBe('no answer (ABORT_ERR)');
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });

  it('§1.2 ALERT_WEBHOOK_PROXY goes through the proxy, with its name and password', async () => {
    const { received, url, port } = await receiver(secure);
    const proxy = await forwardProxy();
    expect((await transportTo(url, { proxy: proxy.url }).post(post, forever)).status).toBe(200);
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    const line = secure ? `CONNECT 127.0.0.1:${port}` : `POST http://127.0.0.1:${port}${path}`;
    expect(proxy.asked).toEqual([{ line, authorization }]);
    expect(received).toEqual([expect.objectContaining({ method: 'POST', url: path, body: '{"text":"größe"}' })]);
    expect(received[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('goes through a proxy that is reached over TLS', async () => {
    const { received, url } = await receiver(secure);
    const proxy = await forwardProxy({ secure: true });
    expect((await transportTo(url, { proxy: proxy.url }).post(post, forever)).status).toBe(200);
    expect(received).toHaveLength(1);
    expect(proxy.asked).toHaveLength(1);
  });

  it('reports a receiver that is not there without naming it', async () => {
    const url = new URL(`${secure ? 'https' : 'http'}://127.0.0.1:1${path}`);
    expect(await failureOf(transportTo(url).post(post, forever))).toBe('no answer (ECONNREFUSED)');
  });
});

describe('a name', () => {
  it('that only the proxy can resolve is left to it, and is checked against the certificate', async () => {
    const { received, port } = await receiver(true);
    const proxy = await forwardProxy({ to: port });
    const url = new URL(`https://kubernetes.default${path}`);
    expect((await transportTo(url, { proxy: proxy.url }).post(post, forever)).status).toBe(200);
    expect(proxy.asked[0]?.line).toBe('CONNECT kubernetes.default:443');
    expect(received[0]).toMatchObject({ headers: { host: 'kubernetes.default' }, serverName: 'kubernetes.default' });
    const other = new URL(`https://other.example${path}`);
    const failure = await failureOf(transportTo(other, { proxy: proxy.url }).post(post, forever));
    expect(failure).toBe('no answer (ERR_TLS_CERT_ALTNAME_INVALID)');
    expect(received).toHaveLength(1);
  });

  it('that does not resolve is not in the message', async () => {
    const message = await failureOf(transportTo(new URL('http://s3cret.invalid/')).post(post, forever));
    expect(message).toMatch(/^no answer \((ENOTFOUND|EAI_AGAIN)\)$/);
  });
});

describe('a proxy', () => {
  it.each(['http', 'https'])('is asked over TLS by its own name, not that of an %s receiver', async (scheme) => {
    const { received, port } = await receiver(scheme === 'https');
    const proxy = await forwardProxy({ secure: true, to: port });
    // The certificate of the proxy is not for this name.
    const url = new URL(`${scheme}://localhost:${port}${path}`);
    const posting = transportTo(url, { proxy: proxy.url }).post(post, forever);
    // Nor is that of the receiver.
    if (scheme === 'https') expect(await failureOf(posting)).toBe('no answer (ERR_TLS_CERT_ALTNAME_INVALID)');
    else expect((await posting).status).toBe(200);
    expect(received).toHaveLength(scheme === 'https' ? 0 : 1);
    expect(proxy.asked).toHaveLength(1);
    expect(proxy.serverNames).toEqual([false]);
  });

  it.each([403, 407, 502])('that answers %i is named as the one that did', async (status) => {
    const { url, received } = await receiver(true);
    const proxy = await forwardProxy({ status });
    expect(await failureOf(transportTo(url, { proxy: proxy.url }).post(post, forever))).toBe(
      `the proxy answered ${status}`,
    );
    expect(received).toEqual([]);
  });

  it('that does not reach the receiver names neither', async () => {
    const proxy = await forwardProxy();
    const url = new URL(`https://127.0.0.1:1${path}`);
    expect(await failureOf(transportTo(url, { proxy: proxy.url }).post(post, forever))).toMatch(
      /^no answer \(E[A-Z]+\)$/,
    );
  });

  it('that is not there is not named', async () => {
    const { url } = await receiver(true);
    const proxy = new URL('http://user:s3cret@127.0.0.1:1');
    expect(await failureOf(transportTo(url, { proxy }).post(post, forever))).toBe('no answer (ECONNREFUSED)');
  });

  it('that hangs is left when the request is aborted', async () => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const silent = net.createServer((socket) => {
      closed.push(once(socket, 'close'));
      socket.on('error', () => undefined);
      socket.resume();
      controller.abort();
    });
    const proxy = new URL(`http://127.0.0.1:${await listen(silent)}`);
    const { url } = await receiver(true);
    expect(await failureOf(transportTo(url, { proxy }).post(post, controller.signal))).toBe('no answer (ABORT_ERR)');
    await Promise.all(closed);
  });

  it('whose tunnel hangs is left when the request is aborted', async () => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const silent = net.createServer((socket) => {
      closed.push(once(socket, 'close'));
      socket.on('error', () => undefined);
      socket.resume();
      // The handshake gets no answer.
      setImmediate(() => controller.abort());
    });
    const proxy = await forwardProxy({ to: await listen(silent) });
    const url = new URL('https://kubernetes.default/');
    expect(await failureOf(transportTo(url, { proxy: proxy.url }).post(post, controller.signal))).toMatch(
      /^no answer \(/,
    );
    await Promise.all(closed);
  });

  it('in the environment is not asked: there is an option for it', async () => {
    const { url, received } = await receiver(false);
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    try {
      expect((await transportTo(url).post(post, forever)).status).toBe(200);
    } finally {
      delete process.env['HTTP_PROXY'];
    }
    expect(received).toHaveLength(1);
  });
});

describe('a certificate', () => {
  it('of an authority that is not trusted ends it', async () => {
    const { url, received } = await receiver(true);
    const transport = new HttpsPostTransport({ clock: new FakeClock(), url });
    expect(await failureOf(transport.post(post, forever))).toMatch(/^no answer \((DEPTH_ZERO_)?SELF_SIGNED_CERT/);
    expect(received).toEqual([]);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('§14.1, §14.3 of %i is not followed', async (code) => {
    const elsewhere = await receiver(false);
    const { url, received } = await receiver(false, (_request, response) => {
      response.writeHead(code, { location: elsewhere.url.href }).end();
    });
    expect((await transportTo(url).post(post, forever)).status).toBe(code);
    expect([received.length, elsewhere.received.length]).toEqual([1, 0]);
  });

  it('§14.3 from https to http is not followed either', async () => {
    const elsewhere = await receiver(false);
    const { url } = await receiver(true, (_request, response) => {
      response.writeHead(307, { location: elsewhere.url.href }).end();
    });
    expect((await transportTo(url).post(post, forever)).status).toBe(307);
    expect(elsewhere.received).toEqual([]);
  });
});
