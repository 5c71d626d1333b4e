import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request, type AgentOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import type { TlsMaterial } from '../../shared/runtime/tls/tls-material';
import { ChannelMetrics } from '../metrics/channel-metrics';
import { ChannelServer } from './channel-server';
import { privateKey, testAuthority, type TestAuthority } from './tls.fixture';

const clientName = 'reroll-webhook.reroll.client';
const serverName = 'reroll-channel.reroll.svc';
const authority = testAuthority('reroll CA 1');
const nextAuthority = testAuthority('reroll CA 2', privateKey());

let clock: FakeClock;
let drawn: number;
let material: TlsMaterial;
let changed: () => void;
let received: number;
let server: ChannelServer;
let agents: Agent[];

beforeEach(async () => {
  // The handshake uses this machine's clock too.
  clock = new FakeClock(Date.now());
  drawn = 0;
  received = 0;
  agents = [];
  material = { ...authority.leaf({ dnsName: serverName, usage: 'serverAuth' }), ca: authority.ca };
  server = new ChannelServer({
    ...{ clock, logger: new RecordingLogger(), metrics: new ChannelMetrics(new MetricRegistry()), clientName },
    random: { float: () => drawn, bytes: (length) => Buffer.alloc(length) },
    address: { host: '127.0.0.1', port: 0 },
    tls: { current: () => material, onChange: (listener) => (changed = listener) },
    handlers: {
      accept: (records) => {
        received += records.length;
        return { accepted: records.length, refused: 0, full: false };
      },
      preview: () => undefined,
      mutate: async () => await Promise.resolve(undefined),
      lint: () => undefined,
    },
  });
  await server.start();
});

afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await server.stop();
});

/** A webhook that keeps one connection. */
function webhook(by: TestAuthority = authority, notAfter?: Date): Agent {
  const leaf = by.leaf({ dnsName: clientName, usage: 'clientAuth', ...(notAfter && { notAfter }) });
  const options: AgentOptions = { ...leaf, ca: [authority.ca, nextAuthority.ca], servername: serverName };
  const agent = new Agent({ ...options, keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

function begin(agent: Agent): ClientRequest {
  const headers = { 'content-type': 'application/json' };
  return request({ host: '127.0.0.1', port: server.port, path: '/v1/changes', method: 'POST', headers, agent });
}

async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

/** Sends a record and returns the connection that it used. */
async function send(agent: Agent): Promise<TLSSocket> {
  const outgoing = begin(agent);
  outgoing.end('{"v":1,"batch":"b","records":[1]}');
  expect((await answerTo(outgoing)).statusCode).toBe(202);
  return outgoing.socket as TLSSocket;
}

function withdraw(ca = nextAuthority.ca): void {
  material = { ...nextAuthority.leaf({ dnsName: serverName, usage: 'serverAuth' }), ca };
  changed();
}

describe('a connection', () => {
  it.each([
    [0, 300],
    [0.5, 450],
    [1, 600],
  ])('for which %d is drawn ends after %d seconds, however much it is used', async (draw, seconds) => {
    drawn = draw;
    const agent = webhook();
    const first = await send(agent);
    const closed = once(first, 'close');
    for (let second = 0; second < seconds - 2; second += 2) {
      await clock.advance(2_000);
      if (second % 50 === 0) expect(await send(agent)).toBe(first);
    }
    expect(first.destroyed).toBe(false);
    await clock.advance(2_000);
    await closed;
  });

  it('ends with the certificate that it was opened with, and its session opens no other', async () => {
    const notAfter = new Date(Math.ceil(clock.nowMs() / 1_000) * 1_000 + 30_000);
    const agent = webhook(authority, notAfter);
    const socket = await send(agent);
    const closed = once(socket, 'close');
    await clock.advance(29_000);
    expect(socket.destroyed).toBe(false);
    await clock.advance(3_000);
    await closed;
    await expect(send(agent)).rejects.toThrow();
    expect(received).toBe(1);
  });

  it('ends when the certificates change, after its requests have finished', async () => {
    const outgoing = begin(webhook());
    const answered = answerTo(outgoing);
    outgoing.write('{"v":1,');
    // One timer is for the body, one for the connections.
    while (clock.pendingTimers < 2) await clock.settle();
    withdraw();
    outgoing.end('"batch":"b","records":[1]}');
    expect(await answered).toMatchObject({ statusCode: 202, headers: { connection: 'close' } });
    while (clock.pendingTimers > 0) await clock.settle();
  });
});

describe('a new CA', () => {
  it('shuts out whoever has a key of the previous CA, with their open connection and session', async () => {
    const thief = webhook();
    const closed = once(await send(thief), 'close');
    withdraw();
    await closed;
    await expect(send(thief)).rejects.toThrow();
    await expect(send(webhook())).rejects.toThrow();
    expect(received).toBe(1);
    await send(webhook(nextAuthority));
    expect(received).toBe(2);
  });

  it('added to the previous one ends the connections, and both may reconnect', async () => {
    const agent = webhook();
    const former = await send(agent);
    const closed = once(former, 'close');
    withdraw(`${authority.ca}\n${nextAuthority.ca}`);
    await closed;
    expect(await send(agent)).not.toBe(former);
    await send(webhook(nextAuthority));
  });
});
