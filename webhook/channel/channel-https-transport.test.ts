import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { formatBaseline } from '../../shared/domain/baseline/baseline';
import { budgets } from '../../shared/domain/budgets';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { digestLength } from '../../shared/domain/sources/content-digest';
import type { SourceId } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import type { TlsMaterial } from '../../shared/runtime/tls/tls-material';
import { ChannelError, ChannelHttpsTransport, maxAnswerBytes } from './channel-https-transport';
import { FakeTlsSource, certificates, material, testServerName } from '../admission/tls.fixture';

const server = certificates.old;
const client = certificates.new;
const ofClient: TlsMaterial = material(client, server.cert);
const body = Buffer.from('{"v":1}');
const forever = new AbortController().signal;
const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

function commonName(socket: Socket): string {
  return socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : '';
}

/** A reconciler that requires a client certificate, and a client that has one. */
async function channel(answer: RequestListener, serverName = testServerName, tls = new FakeTlsSource(ofClient)) {
  const sockets = new Set<Socket>();
  const peers: string[] = [];
  const requests: string[] = [];
  const ca = [client.cert, server.cert];
  const listener = createServer({ ...server, ca, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    peers.push(commonName(request.socket));
    requests.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers['content-type'] ?? ''}`);
    answer(request, response);
  });
  listener.on('connection', (socket: Socket) => sockets.add(socket));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const transport = new ChannelHttpsTransport({ clock: new FakeClock(), tls, serverName });
  open.push(() => {
    transport.close();
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return { transport, tls, address, peers, requests, sockets };
}

describe('ChannelHttpsTransport', () => {
  it('posts a batch to a pod IP whose certificate names the Service', async () => {
    const bodies: string[] = [];
    const { transport, address, requests, peers } = await channel((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.writeHead(202).end('{"accepted":1}'));
    });
    expect(await transport.post(address, channelPaths.changes, body, forever)).toEqual({
      status: 202,
      body: Buffer.from('{"accepted":1}'),
      retryAfterMs: undefined,
    });
    expect(requests).toEqual(['POST /v1/changes application/json']);
    expect(bodies).toEqual(['{"v":1}']);
    expect(peers).toEqual(['new']);
  });

  it('receives the largest baseline', async () => {
    // The ids are short, so that as much as possible of the text is quotes.
    const ids = Array.from({ length: 5_700 }, (_, index): SourceId => `cm/${String(index)}`);
    const sources = new Map(ids.map((id) => [id, 'x'.repeat(digestLength)]));
    const baseline = formatBaseline({ sequence: 1, keyId: 'k', sources });
    expect(budgets.baselineBytes - baseline.length).toBeLessThan(10_000);
    const annotations = {
      'reroll.dev/baseline': baseline,
      'reroll.dev/last-restart': '"'.repeat(8_192),
    };
    const answer = JSON.stringify({ v: 1, annotations, template: { annotations: {}, env: [] } });
    const { transport, address } = await channel((_request, response) => void response.end(answer));
    const received = await transport.post(address, channelPaths.marks, body, forever);
    expect(received.body?.toString()).toBe(answer);
  });

  it('receives no answer of any length', async () => {
    const answer = 'x'.repeat(maxAnswerBytes + 1);
    const { transport, address } = await channel((_request, response) => void response.end(answer));
    await expect(transport.post(address, channelPaths.marks, body, forever)).rejects.toThrow(ChannelError);
  });

  it('keeps its connection', async () => {
    const { transport, address, sockets } = await channel((_request, response) => void response.end('{}'));
    for (let index = 0; index < 5; index++) await transport.post(address, channelPaths.changes, body, forever);
    expect(sockets.size).toBe(1);
  });

  it('retries on a new connection if a reused one ends under its request, but not if a new one does', async () => {
    let ending = false;
    const { transport, address, sockets, requests } = await channel((request, response) => {
      if (ending) request.socket.destroy();
      else response.end('{}');
    });
    await transport.post(address, channelPaths.changes, body, forever);
    const [first] = sockets;
    // This is what a close looks like that crosses the request.
    first?.destroy();
    expect((await transport.post(address, channelPaths.changes, body, forever)).status).toBe(200);
    expect(sockets.size).toBe(2);
    ending = true;
    await expect(transport.post(address, channelPaths.changes, body, forever)).rejects.toThrow(ChannelError);
    // Sent twice: on the reused connection, and on its replacement.
    expect(requests).toHaveLength(4);
  });

  it('returns Retry-After', async () => {
    const { transport, address } = await channel((_request, response) => {
      response.writeHead(429, { 'retry-after': '3' }).end();
    });
    expect(await transport.post(address, channelPaths.changes, body, forever)).toEqual({
      status: 429,
      body: Buffer.alloc(0),
      retryAfterMs: 3_000,
    });
  });

  it('does not talk to a server with another name', async () => {
    const { transport, address, requests } = await channel((_request, response) => void response.end(), 'other.svc');
    await expect(transport.post(address, channelPaths.changes, body, forever)).rejects.toThrow(ChannelError);
    expect(requests).toEqual([]);
  });

  it('does not talk to a server with a certificate of another CA', async () => {
    const tls = new FakeTlsSource(material(client));
    const { transport, address, requests } = await channel((_request, response) => void response.end(), undefined, tls);
    await expect(transport.post(address, channelPaths.changes, body, forever)).rejects.toThrow(
      /reconciler 127\.0\.0\.1:\d+: .*self-signed/,
    );
    expect(requests).toEqual([]);
  });

  it('fails until there is a certificate, and then uses it', async () => {
    const tls = new FakeTlsSource();
    const { transport, address } = await channel((_request, response) => void response.end(), undefined, tls);
    await expect(transport.post(address, channelPaths.changes, body, forever)).rejects.toThrow(
      'no client certificate yet',
    );
    tls.change(ofClient);
    expect((await transport.post(address, channelPaths.changes, body, forever)).status).toBe(200);
  });

  it('uses a new certificate for later requests, and lets those under way end', async () => {
    const answers: (() => void)[] = [];
    const { transport, tls, address, peers } = await channel((_request, response) => {
      answers.push(() => response.end());
    });
    const first = transport.post(address, channelPaths.changes, body, forever);
    while (answers.length < 1) await new Promise((resolve) => setImmediate(resolve));
    tls.change(material(server, server.cert));
    const second = transport.post(address, channelPaths.changes, body, forever);
    while (answers.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const answer of answers) answer();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(peers).toEqual(['new', 'old']);
  });

  it('closes at once', async () => {
    const controller = new AbortController();
    const { transport, address } = await channel(() => controller.abort());
    await expect(transport.post(address, channelPaths.changes, body, controller.signal)).rejects.toThrow(ChannelError);
  });

  it.each(['127.0.0.1:1', '[::1]:1', 'no address'])('reports that %s cannot be reached', async (address) => {
    const transport = new ChannelHttpsTransport({
      clock: new FakeClock(),
      tls: new FakeTlsSource(ofClient),
      serverName: testServerName,
    });
    await expect(transport.post(address, channelPaths.changes, body, forever)).rejects.toThrow(
      `reconciler ${address}: `,
    );
    transport.close();
  });
});
