import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { maxBatchBytes } from '../../shared/domain/protocol/change-batch';
import type { LintAnswer } from '../../shared/domain/protocol/lint-answer';
import type { PreviewAnswer, PreviewQuestion } from '../../shared/domain/protocol/preview';
import type { WorkloadQuestion } from '../../shared/domain/protocol/workload-question';
import { zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import type { TlsMaterial } from '../../shared/runtime/tls/tls-material';
import { ChannelMetrics } from '../metrics/channel-metrics';
import { ChannelServer } from './channel-server';
import type { Receipt } from '../hints/change-record-intake';
import { privateKey, testAuthority, type TestAuthority } from './tls.fixture';

const clientName = 'reroll-webhook.reroll.client';
const serverName = 'reroll-channel.reroll.svc';
const authority = testAuthority('reroll CA 1');
const nextAuthority = testAuthority('reroll CA 2', privateKey());
const client = authority.leaf({ dnsName: clientName, usage: 'clientAuth' });

function serverMaterial(by: TestAuthority, ca = by.ca): TlsMaterial {
  return { ...by.leaf({ dnsName: serverName, usage: 'serverAuth' }), ca };
}

let clock: FakeClock;
let logger: RecordingLogger;
let metrics: ChannelMetrics;
let material: TlsMaterial | undefined;
let changed: () => void;
let received: (readonly unknown[])[];
let accept: (records: readonly unknown[]) => Receipt;
let foreseen: (question: PreviewQuestion) => PreviewAnswer | undefined;
let linted: (question: WorkloadQuestion) => LintAnswer | undefined;
let server: ChannelServer;
let agents: Agent[];
let sockets: TLSSocket[];

beforeEach(async () => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  metrics = new ChannelMetrics(new MetricRegistry());
  material = serverMaterial(authority);
  received = [];
  agents = [];
  sockets = [];
  accept = (records) => ({ accepted: records.length, refused: 0, full: false });
  foreseen = () => undefined;
  linted = () => undefined;
  server = newServer();
  await server.start();
});

afterEach(async () => {
  for (const agent of agents) agent.destroy();
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

function newServer(port = 0): ChannelServer {
  return new ChannelServer({
    ...{ clock, logger, metrics, clientName },
    random: zeroRandom,
    address: { host: '127.0.0.1', port },
    tls: { current: () => material, onChange: (listener) => (changed = listener) },
    handlers: {
      accept: (records) => {
        received.push(records);
        return accept(records);
      },
      preview: (question) => foreseen(question),
      mutate: async () => await Promise.resolve(undefined),
      lint: (question) => linted(question),
    },
  });
}

function agent(options: ConnectionOptions = {}): Agent {
  const made = new Agent({
    ...{ ...client, ca: authority.ca, servername: serverName, keepAlive: true },
    ...options,
  });
  agents.push(made);
  return made;
}

interface Sent {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** With the default security level, our own OpenSSL would refuse. */
const oldTls: ConnectionOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
const json = { 'content-type': 'application/json' };

function begin(options: RequestOptions = {}): ClientRequest {
  const where = { host: '127.0.0.1', port: server.port, path: '/v1/changes', method: 'POST' };
  return request({ ...where, headers: json, agent: agent(), ...options });
}

/** The server has the head of a request and waits for its body. The other timer is for connections. */
async function bodyBegun(): Promise<void> {
  while (clock.pendingTimers < 2) await clock.settle();
}

/** The server has no timer left, so no request and no connection. */
async function atRest(): Promise<void> {
  while (clock.pendingTimers > 0) await clock.settle();
}

async function send(body: string | Buffer, options: RequestOptions = {}): Promise<Sent> {
  const outgoing = begin(options);
  outgoing.end(body);
  return await answerTo(outgoing);
}

async function answerTo(outgoing: ClientRequest): Promise<Sent> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

function batch(...records: unknown[]): string {
  return JSON.stringify({ v: 1, batch: 'b1', records });
}

async function counted(code: number): Promise<number | undefined> {
  const { values } = await metrics.requestsTotal.get();
  return values.find(({ labels }) => labels.code === String(code))?.value;
}

async function servedBy(tls: ConnectionOptions = {}): Promise<string> {
  const socket = await handshake(tls);
  return socket.getPeerX509Certificate()?.issuer ?? '';
}

async function handshake(tls: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    ...{ host: '127.0.0.1', port: server.port, ...client, ca: [authority.ca, nextAuthority.ca] },
    servername: serverName,
    ...tls,
  });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

describe('the change channel', () => {
  it('passes the records of a batch to the intake, over one connection for many', async () => {
    const one = agent();
    for (let i = 0; i < 3; i++) {
      const sent = await send(batch({ i }, 'anything'), { agent: one });
      expect(sent).toMatchObject({ status: 202, body: { accepted: 2, refused: 0 } });
    }
    expect(received).toEqual([0, 1, 2].map((i) => [{ i }, 'anything']));
    expect(Object.values(one.freeSockets).flat()).toHaveLength(1);
    expect(await counted(202)).toBe(3);
  });

  it('tells a webhook to retry if the intake is full', async () => {
    accept = () => ({ accepted: 1, refused: 2, full: true });
    const { status, headers, body } = await send(batch(1, 2, 3));
    expect({ status, body }).toEqual({ status: 429, body: { accepted: 1, refused: 2 } });
    expect(headers['retry-after']).toBe('1');
    expect(await counted(429)).toBe(1);
  });

  it.each<[string, number, string, RequestOptions]>([
    ['another path', 404, batch(), { path: '/v1/changes/more' }],
    ['another method', 405, batch(), { method: 'PUT' }],
    ['no content type', 400, batch(), { headers: {} }],
    ['another content type', 400, batch(), { headers: { 'content-type': 'text/plain' } }],
    ['no JSON', 400, '{"v":1,', {}],
    ['no batch', 400, '{"records":{}}', {}],
    ['too many records', 400, batch(...Array.from({ length: 101 }, () => 1)), {}],
  ])('refuses %s with %d', async (_what, status, body, options) => {
    const sent = await send(body, options);
    expect(sent).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(received).toEqual([]);
    expect(await counted(status)).toBe(1);
  });

  it('does not quote what it could not parse', async () => {
    expect(await send('hunter2')).toMatchObject({ status: 400, body: { error: 'the body is not JSON' } });
  });

  it('answers 500 for its own error, and continues to serve', async () => {
    accept = () => {
      throw new Error('broken');
    };
    expect(await send(batch(1))).toMatchObject({ status: 500, body: { error: 'internal error' } });
    accept = () => ({ accepted: 1, refused: 0, full: false });
    expect((await send(batch(1))).status).toBe(202);
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'error', fields: { error: 'broken' } }));
  });

  it('names the port that is in use, and the flag that chooses another', async () => {
    const { port } = server;
    await expect(newServer(port).start()).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another process uses this port: stop it, or choose another address with --channel-listen`,
    );
  });
});

describe('a question about a workload', () => {
  const question = {
    v: 1,
    group: 'apps',
    kind: 'ReplicaSet',
    namespace: 'shop',
    object: { metadata: { name: 'web' } },
  };
  const ask = async (body: object): Promise<Sent> => await send(JSON.stringify(body), { path: '/v1/lint' });

  it('is answered by the leader', async () => {
    const answer: LintAnswer = { v: 1, findings: [{ message: 'no', provisional: false }] };
    linted = (asked) => {
      expect(asked).toEqual(question);
      return answer;
    };
    expect(await ask(question)).toMatchObject({ status: 200, body: answer });
  });

  it('is left to another replica otherwise', async () => {
    expect(await ask(question)).toMatchObject({ status: 503 });
  });

  it('is refused if it has another version', async () => {
    expect(await ask({ ...question, v: 2 })).toMatchObject({ status: 400 });
    expect(await ask({ records: [] })).toMatchObject({ status: 400 });
  });
});

describe('limits of a body', () => {
  it('holds for one that declares its length', async () => {
    const largest = batch().padEnd(maxBatchBytes);
    expect((await send(largest)).status).toBe(202);
    const sent = await send(`${largest} `, { headers: { ...json, 'content-length': maxBatchBytes + 1 } });
    expect(sent.status).toBe(413);
    expect(sent.headers.connection).toBe('close');
  });

  it('holds for one that does not', async () => {
    const outgoing = begin();
    const answered = answerTo(outgoing);
    outgoing.write(Buffer.alloc(maxBatchBytes, ' '));
    outgoing.write(' ');
    expect(await answered).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect(received).toEqual([]);
  });

  it('holds for one that drips', async () => {
    const outgoing = begin();
    const answered = answerTo(outgoing);
    outgoing.write('{');
    await bodyBegun();
    await clock.advance(5_000);
    expect(await answered).toMatchObject({ status: 408, headers: { connection: 'close' } });
    await atRest();
  });

  it('keeps nothing of a client that went away', async () => {
    const outgoing = begin();
    outgoing.on('error', () => undefined);
    outgoing.write('{');
    await bodyBegun();
    outgoing.destroy();
    await atRest();
    expect(received).toEqual([]);
    expect((await send(batch())).status).toBe(202);
  });
});

describe('the client certificate', () => {
  const foreign = testAuthority('reroll CA 1', privateKey());
  it.each<[string, ConnectionOptions]>([
    ['none', { cert: undefined, key: undefined }],
    ['one of another authority', nextAuthority.leaf({ dnsName: clientName, usage: 'clientAuth' })],
    ['one of an authority of the same name', foreign.leaf({ dnsName: clientName, usage: 'clientAuth' })],
    ['one for servers', authority.leaf({ dnsName: clientName, usage: 'serverAuth' })],
  ])('must be the webhook’s: %s ends the connection', async (_what, tls) => {
    await expect(send(batch(1), { agent: agent(tls) })).rejects.toThrow();
    expect(received).toEqual([]);
  });

  it.each([
    'reroll-webhook.other.client',
    'reroll-channel.reroll.svc',
    '*.reroll.client',
    `${clientName}.example.com`,
    `a, DNS:${clientName}, b`,
  ])('must have the webhook’s name: %s of the right authority is answered 403', async (dnsName) => {
    const tls = authority.leaf({ dnsName, usage: 'clientAuth' });
    const sent = await send(batch(1), { agent: agent(tls) });
    expect(sent.status).toBe(403);
    expect(received).toEqual([]);
    expect(await counted(403)).toBe(1);
  });

  it.each<[string, () => ConnectionOptions, number]>([
    ['the webhook’s', () => client, 202],
    ['another’s', () => authority.leaf({ dnsName: 'reroll-channel.reroll.svc', usage: 'clientAuth' }), 403],
  ])('is looked at also where a session is resumed: %s', async (_what, make, status) => {
    const forgetful = agent({ ...make(), keepAlive: false } as ConnectionOptions);
    expect((await send(batch(1), { agent: forgetful })).status).toBe(status);
    const outgoing = begin({ agent: forgetful });
    outgoing.end(batch(2));
    expect((await answerTo(outgoing)).status).toBe(status);
    expect((outgoing.socket as TLSSocket).isSessionReused()).toBe(true);
  });

  it('is not asked of anyone below TLS 1.2', async () => {
    await expect(handshake(oldTls)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });
});

describe('a new certificate', () => {
  it('ends the connections there are, and is served to those that follow', async () => {
    const open = agent({ maxSockets: 1 } as ConnectionOptions);
    const first = begin({ agent: open });
    first.end(batch(1));
    await answerTo(first);
    expect(await servedBy()).toBe('CN=reroll CA 1');
    const closed = once(first.socket as TLSSocket, 'close');
    material = serverMaterial(nextAuthority, `${authority.ca}\n${nextAuthority.ca}`);
    changed();
    await closed;
    expect(await servedBy()).toBe('CN=reroll CA 2');
    const both = [authority.ca, nextAuthority.ca];
    const renewed = nextAuthority.leaf({ dnsName: clientName, usage: 'clientAuth' });
    expect((await send(batch(2), { agent: agent({ ...renewed, ca: both }) })).status).toBe(202);
    // During a rotation, the previous certificate is accepted too.
    expect((await send(batch(3), { agent: agent({ ca: both }) })).status).toBe(202);
    expect(received).toHaveLength(3);
  });

  it('leaves version and client certificates required', async () => {
    material = serverMaterial(authority);
    changed();
    await expect(handshake(oldTls)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    await expect(
      send(batch(1), { agent: agent({ cert: undefined as never, key: undefined as never }) }),
    ).rejects.toThrow();
    const withdrawn = nextAuthority.leaf({ dnsName: clientName, usage: 'clientAuth' });
    await expect(send(batch(1), { agent: agent(withdrawn) })).rejects.toThrow();
  });

  it.each<[string, () => TlsMaterial | undefined]>([
    ['whose key is another', () => ({ ...serverMaterial(nextAuthority), key: privateKey() })],
    ['that is no PEM', () => ({ ...serverMaterial(nextAuthority), cert: 'x' })],
    ['without a CA for clients', () => serverMaterial(nextAuthority, '\n')],
    ['that is gone', () => undefined],
  ])('%s leaves the former in use', async (_what, make) => {
    material = make();
    changed();
    expect(await servedBy()).toBe('CN=reroll CA 1');
    expect((await send(batch(1))).status).toBe(202);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(material ? 1 : 0);
  });

  it('may come after the start: no handshake succeeds before', async () => {
    await server.stop();
    material = undefined;
    server = newServer();
    await server.start();
    await expect(send(batch(1))).rejects.toThrow();
    material = serverMaterial(authority);
    changed();
    expect((await send(batch(1))).status).toBe(202);
  });
});

describe('the stop', () => {
  it('answers what has begun to arrive, then closes', async () => {
    const outgoing = begin();
    const answered = answerTo(outgoing);
    outgoing.write('{"v":1,');
    await bodyBegun();
    const stopped = server.stop();
    outgoing.end('"batch":"b","records":[1]}');
    expect(await answered).toMatchObject({ status: 202, headers: { connection: 'close' } });
    await stopped;
    await atRest();
    await restart();
  });

  it('does not wait for idle connections', async () => {
    await send(batch(1));
    await server.stop();
    await restart();
  });

  it('cuts off what does not end', async () => {
    const outgoing = begin();
    const cut = expect(answerTo(outgoing)).rejects.toThrow();
    outgoing.write('{');
    await bodyBegun();
    const silent = connectTcp(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const silentClosed = once(silent, 'close');
    const stopped = server.stop();
    await clock.advance(3_000);
    await Promise.all([stopped, cut, silentClosed]);
    await restart();
  });

  /** Starts a server for `afterEach` to stop. */
  async function restart(): Promise<void> {
    server = newServer();
    await server.start();
  }
});
