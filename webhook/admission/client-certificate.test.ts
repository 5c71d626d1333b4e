import { afterEach, describe, expect, it } from '@jest/globals';
import { selfSigned } from '../../shared/runtime/tls/tls.fixture';
import { metric } from './review.fixture';
import { FakeTlsSource, certificates, material } from './tls.fixture';
import { FakeCaSource, RawConnection, post, serverWorld } from './webhook-server.fixture';

type World = Awaited<ReturnType<typeof serverWorld>>;
const worlds: World[] = [];

/** The self-signed certificate of an API server, and one of somebody else. */
const [apiServer, stranger] = [selfSigned('api server'), selfSigned('stranger')];

async function world(clientCa: FakeCaSource | undefined): Promise<World> {
  const made = await serverWorld(new FakeTlsSource(material(certificates.old)), [], clientCa);
  worlds.push(made);
  return made;
}

afterEach(async () => {
  for (const { close } of worlds.splice(0)) await close();
});

/**
 * The status of the answer; undefined if the connection is refused. TLS 1.3 refuses it after the client believes it is
 * open.
 */
async function call({ port }: World, options: object): Promise<number | undefined> {
  try {
    const connection = await RawConnection.open(port, options);
    return (await connection.call(post('/validate'))).status;
  } catch {
    return undefined;
  }
}

describe('with --client-ca-file', () => {
  it.each(['TLSv1.2', 'TLSv1.3'])(
    '%s: a caller without a certificate of this CA is refused before its call, even with a token',
    async (version) => {
      const made = await world(new FakeCaSource(apiServer.cert));
      const tls = { minVersion: version, maxVersion: version };
      expect(await call(made, tls)).toBeUndefined();
      expect(await call(made, { ...tls, ...stranger })).toBeUndefined();
      expect(made.sent).toEqual([]);
      expect(await metric(made.metrics, 'reroll_webhook_tls_errors_total')).toBe(2);
      expect(await metric(made.metrics, 'reroll_webhook_requests_total{path="other",code="404"}')).toBe(0);
      expect(await call(made, { ...tls, ...apiServer })).toBe(200);
    },
  );

  it('a certificate does not replace the token', async () => {
    const made = await world(new FakeCaSource(apiServer.cert));
    made.callers.tokens = [];
    expect(await call(made, apiServer)).toBe(404);
  });

  it('no caller is accepted until the CA can be read, and the status says why', async () => {
    const ca = new FakeCaSource();
    const made = await world(ca);
    expect(await call(made, apiServer)).toBeUndefined();
    expect(made.server.status.certificateProblem).toBe(
      'there is no CA for the certificates of API servers yet: see --client-ca-file',
    );
    // Without its own CA, the server would accept certificates from any CA that the system trusts, so it serves none.
    expect(await metric(made.metrics, 'reroll_webhook_certificate_swaps_total{result="applied"}')).toBe(0);
    ca.change(apiServer.cert);
    expect(made.server.status.certificateProblem).toBeUndefined();
    expect(await call(made, apiServer)).toBe(200);
  });

  it('a new CA ends open connections and their TLS sessions', async () => {
    const ca = new FakeCaSource(apiServer.cert);
    const made = await world(ca);
    const kept = await RawConnection.open(made.port, apiServer);
    let session: Buffer | undefined;
    kept.socket.on('session', (given) => (session = given));
    expect((await kept.call(post('/validate'))).status).toBe(200);
    expect(session).toBeDefined();
    ca.change(stranger.cert);
    await kept.closed();
    expect(await call(made, { ...apiServer, session })).toBeUndefined();
    expect(await call(made, apiServer)).toBeUndefined();
    expect(await call(made, stranger)).toBe(200);
  });

  it('a new server certificate does not affect open connections', async () => {
    const made = await world(new FakeCaSource(apiServer.cert));
    const kept = await RawConnection.open(made.port, apiServer);
    expect((await kept.call(post('/validate'))).status).toBe(200);
    made.tls.change(material(certificates.new));
    expect((await kept.call(post('/validate'))).status).toBe(200);
    expect(await call(made, {})).toBeUndefined();
    expect(await call(made, apiServer)).toBe(200);
    kept.socket.destroy();
  });

  it("a connection ends when its caller's certificate expires", async () => {
    const made = await world(new FakeCaSource(apiServer.cert));
    const kept = await RawConnection.open(made.port, apiServer);
    expect((await kept.call(post('/validate'))).status).toBe(200);
    made.clock.jump(Date.UTC(2049, 0, 1) - made.clock.nowMs());
    await made.clock.advance(1_000);
    await kept.closed();
    expect(await call(made, apiServer)).toBeUndefined();
  });
});

it('without it no certificate is requested', async () => {
  expect(await call(await world(undefined), {})).toBe(200);
});
