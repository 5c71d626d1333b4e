import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHttpsTransport, type HttpsTransport } from '../../shared/kube/transport/https-transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from './api-server';
import { readAll } from './byte-stream';
import { Faults } from './faults';
import { type HttpsServer, type HttpsServerOptions, startHttpsServer } from './https-server';
import { seededRandom } from './seeded-random';

const url = '/api/v1/namespaces/default/configmaps';
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(
  options: HttpsServerOptions = {},
): Promise<{ server: ApiServer; https: HttpsServer; clock: FakeClock }> {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  const https = await startHttpsServer(server, options);
  cleanups.push(https.close);
  return { server, https, clock };
}

async function connect(https: HttpsServer, user?: string): Promise<HttpsTransport> {
  const ca = Buffer.from(https.caPem);
  const identity = user === undefined ? undefined : await https.identityFor(user);
  const tls =
    identity === undefined ? { ca } : { ca, cert: Buffer.from(identity.certPem), key: Buffer.from(identity.keyPem) };
  const transport = createHttpsTransport({ server: https.url, tls });
  cleanups.push(async () => transport.close());
  return transport;
}

async function statusOf(transport: HttpsTransport, headers: Record<string, string> = {}): Promise<number> {
  const response = await transport.send({ method: 'GET', path: url, headers, pool: 'request' });
  await readAll(response.body);
  return response.status;
}

describe('HTTPS server', () => {
  it('knows users by certificate and by token, and refuses strangers', async () => {
    const { server, https } = await start({ tokens: new Map([['secret-token', 'system:serviceaccount:a:b']]) });
    expect(await statusOf(await connect(https, 'alice'))).toBe(200);
    const anonymous = await connect(https);
    expect(await statusOf(anonymous, { authorization: 'Bearer secret-token' })).toBe(200);
    expect(await statusOf(anonymous, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusOf(anonymous)).toBe(401);
    expect(server.requests().map(({ user }) => user)).toEqual(['alice', 'system:serviceaccount:a:b']);
  });

  it('keeps a connection that nobody uses for as long as the real one', async () => {
    const { https } = await start();
    const transport = await connect(https, 'alice');
    const { headers, body } = await transport.send({ method: 'GET', path: url, headers: {}, pool: 'request' });
    await readAll(body);
    expect(headers['keep-alive']).toBe('timeout=90');
  });

  it('tells connections apart in the request log', async () => {
    const { server, https } = await start();
    const first = await connect(https, 'alice');
    const second = await connect(https, 'alice');
    for (const transport of [first, first, second]) await statusOf(transport);
    expect(server.requests().map(({ connectionId }) => connectionId)).toEqual([1, 1, 2]);
  });

  it('writes a kubeconfig that only its owner can read', async () => {
    const { https } = await start();
    const dir = await mkdtemp(path.join(tmpdir(), 'apiserver-'));
    cleanups.push(async () => await rm(dir, { recursive: true }));
    const file = path.join(dir, 'kubeconfig');
    await https.writeKubeconfig(file, 'alice');
    expect(await readFile(file, 'utf8')).toContain(`server: ${https.url}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('ends the watch of a client that left', async () => {
    const { server, https } = await start();
    const transport = await connect(https, 'alice');
    const controller = new AbortController();
    const response = await transport.send({
      method: 'GET',
      path: `${url}?watch=true`,
      headers: {},
      signal: controller.signal,
      pool: 'watch',
    });
    const reading = readAll(response.body).catch(() => undefined);
    expect(server.watchCache.watcherCount()).toBe(1);
    controller.abort();
    await reading;
    while (server.watchCache.watcherCount() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(server.watchCache.watcherCount()).toBe(0);
  });

  it('cuts the socket where a fault resets the connection', async () => {
    const clock = new FakeClock();
    const faults = new Faults(clock, [{ match: () => true, fault: { kind: 'reset', when: 'before' } }]);
    const { https } = await start({ faults });
    await expect(statusOf(await connect(https, 'alice'))).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  it('listens on the port that it is given', async () => {
    const { https } = await start();
    const port = Number(new URL(https.url).port);
    await https.close();
    cleanups.pop();
    const again = await start({ port });
    expect(again.https.url).toBe(https.url);
  });
});
