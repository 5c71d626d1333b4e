import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Connections, headLimits, type ConnectionsOptions } from './connections';
import { FakeClock } from '../fake-clock';
import { RecordingLogger } from '../log/recording-logger';
import { selfSigned } from '../tls/tls.fixture';

const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) end();
});

type World = Awaited<ReturnType<typeof listening>>;

async function listening({
  tls = false,
  answer = (_request, response) => void response.end('ok'),
  ...limits
}: Partial<ConnectionsOptions> & { readonly tls?: boolean; readonly answer?: RequestListener } = {}) {
  const [clock, logger] = [new FakeClock(), new RecordingLogger()];
  const server = tls ? createTlsServer({ ...headLimits, ...certificate }, answer) : createServer(headLimits, answer);
  const all = { max: 4, maxPerAddress: 3, idleMs: 60_000, slowMs: 1_000, what: 'test server', clock, logger };
  const connections = new Connections(server, { ...all, ...limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  ended.push(() => {
    connections.destroy();
    server.close();
  });
  return { clock, logger, connections, port };
}

const certificate = selfSigned('server');

class Peer {
  received = '';
  closed = false;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
    ended.push(() => socket.destroy());
  }

  async answers(count = 1): Promise<void> {
    await until(() => this.received.split('HTTP/1.1').length > count);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Opens a connection, and by default waits until the server has seen it. */
async function open({ port, connections }: World, localAddress = '127.0.0.1', seen = true): Promise<Peer> {
  const before = connections.size;
  const peer = new Peer(connect({ port, host: '127.0.0.1', localAddress }));
  await once(peer.socket, 'connect');
  if (seen) await until(() => connections.size > before);
  return peer;
}

async function openTls({ port, connections }: World): Promise<Peer> {
  const before = connections.size;
  const peer = new Peer(connectTls({ port, host: '127.0.0.1', ca: certificate.cert }));
  await once(peer.socket, 'secureConnect');
  await until(() => connections.size > before);
  return peer;
}

describe('a head', () => {
  it.each([false, true])('must be complete five seconds after its first byte, over TLS too: %s', async (tls) => {
    const world = await listening({ tls });
    const peer = tls ? await openTls(world) : await open(world);
    await world.clock.advance(20_000);
    peer.socket.write('GET / HTTP/1.1\r\nx: ');
    await until(() => peer.socket.bytesWritten > 0);
    // Sending single bytes does not prolong the time limit.
    for (let second = 0; second < 4; second++) {
      await world.clock.advance(1_000);
      peer.socket.write('a');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(world.connections.size).toBe(1);
    await world.clock.advance(4_000);
    // It ended in time, and not a second later: the clock no longer advances.
    await until(() => peer.closed);
  });

  it('may start as long as the connection is kept, before the first request and after it', async () => {
    const world = await listening({ idleMs: 60_000 });
    const [unused, kept] = [await open(world), await open(world)];
    await world.clock.advance(30_000);
    kept.socket.write(request);
    await kept.answers();
    await world.clock.advance(29_000);
    expect(world.connections.size).toBe(2);
    await world.clock.advance(2_000);
    await until(() => unused.closed);
    expect(kept.closed).toBe(false);
    kept.socket.write(request);
    await kept.answers(2);
    await world.clock.advance(61_000);
    await until(() => kept.closed);
  });

  it('has at most 8 KiB', async () => {
    const world = await listening();
    const peer = await open(world);
    peer.socket.write(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(8 * 1024)}\r\n\r\n`);
    await until(() => peer.closed);
    expect(peer.received).toContain(' 431 ');
  });
});

it('a TLS handshake must be over in five seconds', async () => {
  const world = await listening({ tls: true });
  const silent = await open(world);
  await world.clock.advance(4_000);
  expect(world.connections.size).toBe(1);
  await world.clock.advance(2_000);
  await until(() => silent.closed);
});

it('an unread answer does not hold a connection forever', async () => {
  const world = await listening({ answer: (_request, response) => void response.write('a') });
  const peer = await open(world);
  peer.socket.write(request);
  await peer.answers();
  await world.clock.advance(9_000);
  expect(peer.closed).toBe(false);
  await world.clock.advance(2_000);
  await until(() => peer.closed);
});

describe('at the maximum of connections', () => {
  const others = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

  it('those that never sent a request are closed first, the oldest first, then idle ones', async () => {
    const world = await listening();
    const kept = await open(world, '127.0.0.1');
    kept.socket.write(request);
    await kept.answers();
    await world.clock.advance(10);
    const silent: Peer[] = [];
    for (const address of others) {
      silent.push(await open(world, address));
      await world.clock.advance(10);
    }
    for (let index = 0; index < 3; index++) {
      const next = await open(world, `127.0.0.${10 + index}`, false);
      await until(() => silent[index]!.closed);
      next.socket.write(request);
      await next.answers();
      expect(silent.filter(({ closed }) => closed)).toHaveLength(index + 1);
      expect(kept.closed).toBe(false);
      await world.clock.advance(10);
    }
    await open(world, '127.0.0.20', false);
    await until(() => kept.closed);
    expect(world.connections.size).toBe(4);
  });

  it('an endless handshake is closed for one that completes', async () => {
    const world = await listening({ tls: true, max: 2, maxPerAddress: 2 });
    const silent = [await open(world), await open(world)];
    const peer = new Peer(connectTls({ port: world.port, host: '127.0.0.1', ca: certificate.cert }));
    await once(peer.socket, 'secureConnect');
    peer.socket.write(request);
    await peer.answers();
    expect(silent.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('those with a running request stay, and the new one is refused; after a second the slowest is closed', async () => {
    let requests = 0;
    const world = await listening({ answer: () => (requests += 1) });
    const busy = await Promise.all(['127.0.0.1', ...others].map(async (address) => await open(world, address)));
    for (const { socket } of busy) socket.write(request);
    await until(() => requests === 4);
    const refused = await open(world, '127.0.0.30', false);
    await until(() => refused.closed);
    expect(busy.some(({ closed }) => closed)).toBe(false);
    expect(world.logger.lines.at(-1)?.message).toContain('all are busy, and a new one was refused');
    await world.clock.advance(1_000);
    await open(world, '127.0.0.30', false);
    await until(() => busy.some(({ closed }) => closed));
    expect(busy.filter(({ closed }) => closed)).toHaveLength(1);
  });

  it('an address with too many of them loses only its own', async () => {
    const world = await listening();
    const other = await open(world, '127.0.0.2');
    await world.clock.advance(10);
    const own = [await open(world), await open(world), await open(world)];
    for (let index = 0; index < 30; index++) {
      const next = await open(world, '127.0.0.1', false);
      next.socket.write(request);
      await next.answers();
    }
    await until(() => own.every(({ closed }) => closed));
    expect(other.closed).toBe(false);
    expect(world.connections.size).toBe(4);
    // Logged once: an attacker opens thousands.
    expect(world.logger.lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringContaining('too many connections to the test server'),
        fields: { address: '127.0.0.1', connectionsOfAddress: 3, max: 4, maxPerAddress: 3 },
      },
    ]);
  });
});

describe('a connection whose time is over', () => {
  it('ends at once if it is idle, and otherwise after its answer, which announces it', async () => {
    const answers: (() => void)[] = [];
    const world = await listening({ answer: (_request, response) => void answers.push(() => response.end('done')) });
    const [idle, busy] = [await open(world), await open(world)];
    busy.socket.write(request);
    await until(() => answers.length === 1);
    world.connections.retire();
    await until(() => idle.closed);
    expect(busy.closed).toBe(false);
    answers[0]?.();
    await until(() => busy.closed);
    expect(busy.received).toMatch(/connection: close/i);
    expect(busy.received).toContain('done');
  });

  it('ends within its handshake, too, which uses the old certificate', async () => {
    const world = await listening({ tls: true });
    const begun = await open(world);
    world.connections.retire();
    await until(() => begun.closed);
  });

  it('ends after an answer whose headers were sent before', async () => {
    let end = (): void => undefined;
    const world = await listening({
      answer: (_request, response) => {
        response.write('first');
        end = () => void response.end('last');
      },
    });
    const peer = await open(world);
    peer.socket.write(request);
    await until(() => peer.received.includes('first'));
    world.connections.retire();
    end();
    await until(() => peer.closed);
    expect(peer.received).toContain('last');
  });

  it.each([
    ['its age', { maxAgeMs: 30_000 }],
    ['the end of its certificate', { untilMs: new FakeClock().nowMs() + 30_000 }],
  ])('ends by %s', async (_what, life) => {
    const world = await listening({ tls: true, lifeOf: () => life });
    const peer = await openTls(world);
    peer.socket.write(request);
    await peer.answers();
    await world.clock.advance(29_000);
    expect(peer.closed).toBe(false);
    await world.clock.advance(2_000);
    await until(() => peer.closed);
  });

  it('does not begin if its certificate has expired', async () => {
    const world = await listening({ tls: true, lifeOf: () => ({ untilMs: 0 }) });
    const peer = new Peer(connectTls({ port: world.port, host: '127.0.0.1', ca: certificate.cert }));
    await until(() => peer.closed);
    expect(peer.received).toBe('');
  });
});

it('does not run a timer without connections', async () => {
  const world = await listening();
  const peer = await open(world);
  expect(world.clock.pendingTimers).toBe(1);
  peer.socket.destroy();
  await until(() => world.connections.size === 0);
  expect(world.clock.pendingTimers).toBe(0);
});
