import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { metric } from './review.fixture';
import { RawConnection, headerLines, post, postTo, reviewBody, serverWorld, testToken } from './webhook-server.fixture';

type World = Awaited<ReturnType<typeof serverWorld>>;
const worlds: World[] = [];

async function world(): Promise<World> {
  const made = await serverWorld();
  worlds.push(made);
  return made;
}

afterEach(async () => {
  for (const { close } of worlds.splice(0)) await close();
});

/** The answer to every request without a token. */
const refusal = { status: 404, body: 'not found\n' };
const headWithoutDate = (head: string): string => head.replace(/\r\ndate: .*/i, '');

const token = testToken;
const wrong = 'a1'.repeat(32);

const strange: readonly (readonly [what: string, request: string])[] = [
  ['no token', postTo('/validate')],
  ['no token, with a slash', postTo('/validate/')],
  ['a wrong token', postTo(`/validate/${wrong}`)],
  ['a wrong token at the other hook', postTo(`/mutate/${wrong}`)],
  ['the beginning of a token', postTo(`/validate/${token.slice(0, 63)}`)],
  ['a token with a suffix', postTo(`/validate/${token}0`)],
  ['a token in upper case', postTo(`/validate/${token.toUpperCase()}`)],
  ['the hook in upper case', postTo(`/Validate/${token}`)],
  ['a slash after the token', postTo(`/validate/${token}/`)],
  ['two slashes before it', postTo(`/validate//${token}`)],
  ['two slashes at the beginning', postTo(`//validate/${token}`)],
  ['a path traversal', postTo(`/mutate/../validate/${token}`)],
  ['an escaped dot', postTo(`/%2e/validate/${token}`)],
  ['an escaped slash', postTo(`/validate%2f${token}`)],
  ['an escaped digit', postTo(`/validate/%61${token.slice(1)}`)],
  ['an invalid escape', postTo('/%E0%A4%A')],
  ['the token as a query', postTo(`/validate?token=${token}`)],
  ['the token as a fragment', postTo(`/validate#/${token}`)],
  ['the token as a matrix parameter', postTo(`/validate/${token};a=b`)],
  ['a whole URL', postTo(`https://reroll-webhook.reroll.svc/validate/${token}`)],
  ['another hook', postTo(`/admit/${token}`)],
  ['a property of every object', postTo(`/constructor/${token}`)],
  ['the root', postTo('/')],
  ['another path', postTo('/metrics')],
  ['another method', post('/validate').replace('POST', 'PUT')],
  ['a GET', `GET /validate/${token} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ['OPTIONS for everything', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['another content type, without a token', postTo('/validate', reviewBody, { 'content-type': 'text/plain' })],
  ['a body that is too large, without a token', postTo('/validate', '', { 'content-length': String(2 ** 40) })],
  ['an expectation', postTo('/validate', '', { expect: '100-continue', 'content-length': '1000' })],
  ['an unknown expectation', postTo('/validate', '', { expect: 'tea', 'content-length': '1000' })],
];

describe('a caller without a token', () => {
  it('gets the same answer for every request, byte for byte, and its connection is closed', async () => {
    const { open, handler, metrics } = await world();
    const heads = new Set<string>();
    for (const [what, request] of strange) {
      const connection = await open();
      const { status, head, body } = await connection.call(request);
      expect([what, { status, body }]).toEqual([what, refusal]);
      heads.add(headWithoutDate(head));
      await connection.closed();
    }
    expect([...heads]).toEqual([expect.stringMatching(/connection: close/i)]);
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    expect(await metric(metrics, 'reroll_webhook_requests_total{path="other",code="404"}')).toBe(strange.length);
  });

  it('does not get its body received', async () => {
    const received: Socket[] = [];
    const onSocket = (message: unknown): void => void received.push((message as { readonly socket: Socket }).socket);
    subscribe('net.server.socket', onSocket);
    try {
      const { open, handler } = await world();
      const connection = await open();
      const body = Buffer.alloc(6_900_000, '{},');
      connection.socket.write(`POST /validate/${wrong} HTTP/1.1\r\n`);
      connection.socket.write(
        headerLines({ host: 'a', 'content-type': 'application/json', 'content-length': '6900000' }),
      );
      connection.socket.write('\r\n');
      connection.socket.write(body);
      while (!connection.socket.destroyed) await new Promise((resolve) => setImmediate(resolve));
      expect(received).toHaveLength(1);
      // No more than what had arrived with the head.
      expect(received[0]!.bytesRead).toBeLessThan(1024 * 1024);
      expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
    } finally {
      unsubscribe('net.server.socket', onSocket);
    }
  });

  it('is answered before its body arrives, and without a request for it', async () => {
    const { open } = await world();
    const headers = { host: 'a', 'content-type': 'application/json', 'content-length': '1000', expect: '100-continue' };
    const head = (path: string): string => `POST ${path} HTTP/1.1\r\n${headerLines(headers)}\r\n`;
    expect((await (await open()).call(head(`/validate/${wrong}`))).status).toBe(404);
    expect((await (await open()).call(head(`/validate/${token}`))).status).toBe(100);
  });

  it('is logged once a minute, with its address and a fix, and never with the requested path', async () => {
    const { open, clock, logger, metrics } = await world();
    const warnings = (): readonly unknown[] => logger.lines.filter(({ level }) => level === 'warn');
    for (let call = 0; call < 5; call++) await (await open()).call(postTo(`/validate/${wrong}`));
    expect(warnings()).toEqual([
      {
        level: 'warn',
        message:
          'a call without a known token was refused; if an API server made it, the path in the webhook configuration is ' +
          'out of date: check that `reroll certs` is running, which writes it',
        fields: { address: '127.0.0.1', problem: undefined },
      },
    ]);
    await (await open()).call(post('/mutate', 'garbage'));
    await clock.advance(60_000);
    await (await open()).call(postTo(`/validate/${wrong}`));
    expect(warnings()).toHaveLength(2);
    const everything = JSON.stringify(logger.lines) + (await metrics.registry.text());
    expect(everything).not.toContain(wrong.slice(0, 20));
    expect(everything).not.toContain(token.slice(0, 20));
  });
});

describe('tokens', () => {
  it('are accepted only while they are known, also on open connections', async () => {
    const { open, callers, server } = await world();
    const kept = await open();
    callers.tokens = [wrong, token];
    expect((await kept.call(post('/mutate'))).status).toBe(200);
    expect((await kept.call(postTo(`/mutate/${wrong}`))).status).toBe(200);
    callers.tokens = [wrong];
    expect((await kept.call(post('/mutate'))).status).toBe(404);
    callers.tokens = [];
    expect((await (await open()).call(postTo(`/mutate/${wrong}`))).status).toBe(404);
    expect(server.status.callerProblem).toBe('there is no token yet');
  });
});

it('a caller that opens connections and never calls cannot shut out an API server', async () => {
  const { open, port, clock } = await world();
  const api = await open();
  expect((await api.call(post('/mutate'))).status).toBe(200);
  const silent: Socket[] = [];
  for (let index = 0; index < 540; index++) {
    const from = { port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 2)}` };
    // They stop during the TLS handshake, after it, or within the head.
    if (index % 6 < 2) {
      const { socket } = await RawConnection.open(port, from);
      if (index % 6 === 0) socket.write(postTo('/validate').slice(0, 30));
      silent.push(socket);
    } else {
      const socket = connectTcp(from);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      silent.push(socket);
    }
  }
  // Both a new connection and an older one are served.
  expect((await (await open()).call(post('/mutate'))).status).toBe(200);
  expect((await api.call(post('/mutate'))).status).toBe(200);
  while (silent.filter(({ closed }) => !closed).length > 510) await clock.settle();
  for (const socket of silent) socket.destroy();
}, 60_000);
