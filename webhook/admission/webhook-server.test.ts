import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AdmissionPlugin } from './admission-plugins';
import { bytes, metric, review } from './review.fixture';
import { maxBodyBytes } from './review-exchange';
import { FakeTlsSource, certificates, material } from './tls.fixture';
import { WebhookServer } from './webhook-server';
import { RawConnection, headerLines, post, reviewBody, serverWorld, testToken } from './webhook-server.fixture';

type World = Awaited<ReturnType<typeof serverWorld>>;
const worlds: World[] = [];

async function world(tls?: FakeTlsSource, plugins?: readonly AdmissionPlugin[]): Promise<World> {
  const made = await serverWorld(tls, plugins);
  worlds.push(made);
  return made;
}

afterEach(async () => {
  for (const { close } of worlds.splice(0)) await close();
});

describe('WebhookServer', () => {
  it.each(['/mutate', '/validate', '/validate?timeout=2s', '/mutate?timeout=soon'])('answers at %s', async (path) => {
    const { open, clock, sent } = await world();
    const answer = await (await open()).call(post(path));
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/content-type: application\/json/i);
    expect(answer.head).toMatch(/keep-alive: timeout=120/i);
    expect(JSON.parse(answer.body)).toMatchObject({ response: { uid: 'review-1', allowed: true } });
    await clock.advance(0);
    expect(sent).toHaveLength(1);
  });

  it('answers after the body has been read and released, if a plugin is slow', async () => {
    const others: RawConnection[] = [];
    const answer: AdmissionPlugin['answer'] = async () => {
      await others[0]?.call(post('/mutate', 'garbage'));
      return { warnings: ['careful'] };
    };
    const { open } = await world(undefined, [{ name: 'preview', wants: () => true, answer }]);
    others.push(await open());
    const { body } = await (await open()).call(post('/validate'));
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true, warnings: ['careful'] } });
  });

  it('sends one record for a write that both hooks see', async () => {
    const { open, clock, sent } = await world();
    const connection = await open();
    await connection.call(post('/mutate'));
    await connection.call(post('/validate'));
    await clock.advance(0);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['another content type', post('/mutate', reviewBody, { 'content-type': 'application/yaml' }), 415, 'mutate'],
    ['garbage', post('/mutate', 'garbage'), 400, 'mutate'],
    [
      'a body whose Content-Length is too large',
      post('/mutate', '', { 'content-length': String(maxBodyBytes + 1) }),
      413,
      'mutate',
    ],
  ])('refuses %s', async (_what, request, status, path) => {
    const { open, metrics } = await world();
    const answer = await (await open()).call(request);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain('    at ');
    expect(await metric(metrics, `reroll_webhook_requests_total{path="${path}",code="${status}"}`)).toBe(1);
  });

  it('accepts JSON with a charset', async () => {
    const { open } = await world();
    const request = post('/mutate', reviewBody, { 'content-type': 'Application/JSON; charset=utf-8' });
    expect((await (await open()).call(request)).status).toBe(200);
  });

  it('refuses a body that turns out too large, and closes', async () => {
    const { open } = await world();
    const connection = await open();
    const head = headerLines({ host: 'x', 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    connection.socket.write(`POST /mutate/${testToken} HTTP/1.1\r\n${head}\r\n`);
    const size = 1024 * 1024;
    for (let index = 0; index < 8; index++) connection.socket.write(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
    const answer = await connection.answer();
    expect(answer.status).toBe(413);
    expect(answer.head).toMatch(/connection: close/i);
    await connection.closed();
  });

  it('allows at its own deadline when the body is slow, and closes', async () => {
    const { open, clock, handler } = await world();
    const connection = await open();
    connection.socket.write(post('/mutate?timeout=800ms').slice(0, 400));
    while (handler.inFlight.bytes === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(400);
    const answer = await connection.answer();
    expect(JSON.parse(answer.body)).toMatchObject({ response: { uid: 'review-1', allowed: true } });
    await connection.closed();
    expect(handler.inFlight).toEqual({ requests: 0, bytes: 0 });
  });

  it('drops a review whose caller has disconnected', async () => {
    const { open, handler, clock } = await world();
    const connection = await open();
    connection.socket.write(post('/mutate').slice(0, 400));
    while (handler.inFlight.bytes === 0) await new Promise((resolve) => setImmediate(resolve));
    connection.socket.destroy();
    while (handler.inFlight.requests > 0) await new Promise((resolve) => setImmediate(resolve));
    while (clock.pendingTimers > 0) await clock.settle();
  });

  it('accepts TLS 1.2 and nothing older', async () => {
    const { open, metrics, port } = await world();
    expect((await (await open({ maxVersion: 'TLSv1.2' })).call(post('/mutate'))).status).toBe(200);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' };
    await expect(RawConnection.open(port, old)).rejects.toThrow();
    expect(await metric(metrics, 'reroll_webhook_tls_errors_total')).toBe(1);
  });

  it('says which port is taken, and which flag changes it', async () => {
    const { port, clock, logger, metrics, handler, tls, callers } = await world();
    const second = new WebhookServer({ clock, logger, metrics, handler, tls, callers });
    await expect(second.listen({ host: '127.0.0.1', port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another process uses this port: stop it, or choose another address with --webhook-listen`,
    );
  });
});

describe('a new certificate', () => {
  it('is used for new connections, and open ones go on', async () => {
    const { open, tls } = await world();
    const before = await open();
    await before.call(post('/mutate'));
    const underWay = before.call(post('/mutate'));
    tls.change(material(certificates.new));
    const after = await open();
    expect((await underWay).status).toBe(200);
    expect((await before.call(post('/mutate'))).status).toBe(200);
    expect((await after.call(post('/mutate'))).status).toBe(200);
    expect([before.serverCertificate, after.serverCertificate]).toEqual(['old', 'new']);
  });

  it('does not enable old versions of TLS again', async () => {
    const { tls, port } = await world();
    tls.change(material(certificates.new));
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' };
    await expect(RawConnection.open(port, old)).rejects.toThrow();
  });

  it.each([
    ['with a key that does not match', { ...material(certificates.new), key: certificates.old.key }],
    ['that is invalid', { ...material(certificates.new), cert: 'garbage' }],
  ])('%s is not used', async (_what, bad) => {
    const { open, tls, metrics, logger } = await world();
    tls.change(bad);
    const connection = await open();
    expect(connection.serverCertificate).toBe('old');
    expect((await connection.call(post('/mutate'))).status).toBe(200);
    expect(await metric(metrics, 'reroll_webhook_certificate_swaps_total{result="refused"}')).toBe(1);
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
  });

  it('is needed before the first answer, and the status says so', async () => {
    const { open, tls, server, port } = await world(new FakeTlsSource());
    expect(server.status.certificateProblem).toBe('there is none yet: see --certs-secret and --tls-dir');
    await expect(RawConnection.open(port)).rejects.toThrow();
    tls.change(material(certificates.new));
    expect(server.status).toEqual({ state: 'listening', certificateProblem: undefined, callerProblem: undefined });
    expect((await (await open()).call(post('/mutate'))).status).toBe(200);
  });

  it('exposes when it expires, and makes the pod unready afterwards', async () => {
    const { server, clock, metrics } = await world();
    const notAfterMs = Date.UTC(2049, 0, 1);
    expect(await metric(metrics, 'reroll_webhook_certificate_not_after_seconds')).toBe(notAfterMs / 1_000);
    clock.jump(notAfterMs - clock.nowMs() - 1);
    expect(server.status.certificateProblem).toBeUndefined();
    clock.jump(1);
    expect(server.status.certificateProblem).toBe(
      'it is valid from 2020-01-01T00:00:00.000Z to 2049-01-01T00:00:00.000Z only: see --certs-secret and --tls-dir',
    );
    clock.jump(Date.UTC(2019, 11, 31) - clock.nowMs());
    expect(server.status.certificateProblem).toMatch(/^it is valid from/);
  });
});

describe('a stop', () => {
  it('fails no call on any open connection while API servers go on calling', async () => {
    const { open, server, clock } = await world();
    const callers = await Promise.all(
      Array.from({ length: 10 }, async () => ({ connection: await open(), answered: 0, failed: 0, left: false })),
    );
    // Work that is always due at once would keep the clock from advancing. Reviews of a Pod cause none.
    const unwanted = bytes(review({ kind: { group: '', version: 'v1', kind: 'Pod' } }));
    const stopped = server.stop();
    // Like an API server's connections, each calls until an answer closes it.
    const calling = callers.map(async (caller, index) => {
      while (!caller.left) {
        const request = post(index % 2 === 0 ? '/mutate' : '/validate', unwanted);
        const answer = await caller.connection.call(request).catch(() => undefined);
        if (answer?.status === 200) caller.answered++;
        else caller.failed++;
        caller.left = !answer || /connection: close/i.test(answer.head);
      }
    });
    for (let second = 0; second < 10; second++) {
      const before = callers.map(({ answered }) => answered);
      while (!callers.every(({ answered, left }, index) => left || answered > before[index]! + 2)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await clock.advance(1_000);
    }
    await Promise.all([...calling, stopped]);
    expect(callers.map(({ failed }) => failed)).toEqual(callers.map(() => 0));
    expect(Math.min(...callers.map(({ answered }) => answered))).toBeGreaterThan(10);
    expect(server.status.state).toBe('stopped');
  });

  it('serves for 5 s, asks callers to close for 5 s, then closes idle connections', async () => {
    const { open, server, clock, logger, port } = await world();
    const [used, idle] = [await open(), await open()];
    await idle.call(post('/mutate'));
    const stopped = server.stop();
    expect(logger.lines.at(-1)).toMatchObject({ level: 'info', fields: { forMs: 10_000 } });
    await clock.advance(4_999);
    expect(server.status.state).toBe('draining');
    expect((await used.call(post('/mutate'))).head).toMatch(/connection: keep-alive/i);
    // Some API server may not know yet, so new connections are accepted.
    expect((await (await open()).call(post('/mutate'))).status).toBe(200);
    await clock.advance(1);
    expect((await used.call(post('/mutate'))).head).toMatch(/connection: close/i);
    await used.closed();
    expect(idle.ended).toBe(false);
    await clock.advance(5_000);
    await stopped;
    await idle.closed();
    await expect(RawConnection.open(port)).rejects.toThrow('ECONNREFUSED');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not wait for a review that never ends, nor for a silent caller', async () => {
    const { clock, logger, metrics, tls, callers } = await world();
    let begun = 0;
    const exchange = { push: () => undefined, end: () => (begun += 1), abort: () => undefined };
    const handler = { begin: () => exchange as never };
    const server = new WebhookServer({ clock, logger, metrics, handler, tls, callers });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const stopped = server.stop();
    await clock.advance(9_000);
    const [silent, busy] = [connectTcp(port, '127.0.0.1'), await RawConnection.open(port)];
    busy.socket.write(post('/mutate'));
    while (begun === 0) await clock.settle();
    await clock.advance(9_000);
    expect(busy.ended).toBe(false);
    await clock.advance(3_000);
    await stopped;
    await busy.closed();
    silent.destroy();
    expect(server.status.state).toBe('stopped');
  });
});
