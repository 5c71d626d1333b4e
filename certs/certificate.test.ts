import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from '@jest/globals';
import forge from 'node-forge';
import { type CertificatePair, issueAuthority, issueLeaf, type LeafRequest, rsaKeyPairs } from './certificate';
import { dayMs, preparedKeyPairs, testIssuer } from './issuing.fixture';

/** The handshake uses the system's clock. */
const nowMs = Date.now();
const issuer = testIssuer(nowMs, preparedKeyPairs(5, 2048));
const host = 'reroll-webhook.reroll.svc';

let ca: CertificatePair;
let otherCa: CertificatePair;
let server: CertificatePair;
let client: CertificatePair;

async function leafOf(authority: CertificatePair, request: Partial<LeafRequest> = {}): Promise<CertificatePair> {
  const defaults: LeafRequest = { commonName: 'leaf', dnsNames: [host], usage: 'serverAuth', nowMs, lifeMs: dayMs };
  return await issueLeaf(issuer, authority, { ...defaults, ...request });
}

/** The client's identity as the server sees it, or why one of them rejected the other. */
async function handshake(
  serving: CertificatePair,
  calling: { readonly ca: string; readonly cert?: string; readonly key?: string },
  clientCa?: string,
): Promise<string> {
  const mutual = clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const listening = createServer({ cert: serving.cert, key: serving.key, ...mutual }, (incoming, response) => {
    const { socket } = incoming;
    if (!(socket instanceof TLSSocket)) throw new Error('not encrypted');
    const { subjectaltname } = socket.getPeerCertificate();
    // Typed as an Error, but it is the error code.
    const refusal = clientCa !== undefined && !socket.authorized && String(socket.authorizationError);
    response.end(refusal === false ? (subjectaltname ?? 'anonymous') : refusal);
  });
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  try {
    return await new Promise<string>((resolve) => {
      const sent = request({ host: '127.0.0.1', port, servername: host, agent: false, ...calling }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      sent.end();
    });
  } finally {
    listening.closeAllConnections();
    listening.close();
  }
}

beforeAll(async () => {
  ca = await issueAuthority(issuer, { commonName: 'reroll-ca-1-aa', nowMs, lifeMs: 365 * dayMs });
  otherCa = await issueAuthority(issuer, { commonName: 'reroll-ca-2-bb', nowMs, lifeMs: 365 * dayMs });
  server = await leafOf(ca);
  client = await leafOf(ca, { usage: 'clientAuth', dnsNames: ['reroll-webhook.reroll.client'] });
});

function extension({ cert }: CertificatePair, name: string): object | null | undefined {
  return forge.pki.certificateFromPem(cert).getExtension(name);
}

describe('the profile', () => {
  it('creates a CA that signs only leaves', () => {
    const x509 = new X509Certificate(ca.cert);
    expect(x509.ca).toBe(true);
    expect(x509.subject).toBe('CN=reroll-ca-1-aa');
    expect(extension(ca, 'basicConstraints')).toMatchObject({ critical: true, cA: true, pathLenConstraint: 0 });
    expect(extension(ca, 'keyUsage')).toMatchObject({
      critical: true,
      keyCertSign: true,
      cRLSign: true,
      digitalSignature: false,
    });
    expect(extension(ca, 'subjectKeyIdentifier')).toBeTruthy();
    expect(extension(ca, 'authorityKeyIdentifier')).toBeTruthy();
  });

  it('creates a leaf with its names in the SAN, one purpose, and the key identifier of its issuer', () => {
    const x509 = new X509Certificate(server.cert);
    expect(x509.ca).toBe(false);
    expect(x509.subjectAltName).toBe(`DNS:${host}`);
    expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(new X509Certificate(client.cert).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const authorityKey = extension(server, 'authorityKeyIdentifier') as { readonly value: string } | undefined;
    expect(authorityKey?.value).toContain(
      forge.pki.certificateFromPem(ca.cert).generateSubjectKeyIdentifier().getBytes(),
    );
    expect(x509.checkIssued(new X509Certificate(ca.cert))).toBe(true);
    expect(x509.checkIssued(new X509Certificate(otherCa.cert))).toBe(false);
    expect(x509.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
    expect(BigInt(`0x${x509.serialNumber}`) > 2n ** 64n).toBe(true);
    expect(x509.serialNumber).not.toBe(new X509Certificate(client.cert).serialNumber);
  });

  it('is valid from an hour ago, and a leaf no longer than its CA', async () => {
    const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
    const x509 = new X509Certificate(server.cert);
    expect(Date.parse(x509.validFrom)).toBe(inSeconds(nowMs - 3_600_000));
    expect(Date.parse(x509.validTo)).toBe(inSeconds(nowMs + dayMs));
    const long = new X509Certificate((await leafOf(ca, { lifeMs: 1000 * dayMs })).cert);
    expect(long.validTo).toBe(new X509Certificate(ca.cert).validTo);
  });

  it('uses matching keys from Node', async () => {
    const pair = await rsaKeyPairs.generate();
    const made = await issueAuthority(
      { random: issuer.random, keyPairs: { generate: () => Promise.resolve(pair) } },
      { commonName: 'x', nowMs, lifeMs: dayMs },
    );
    expect(made.key).toBe(pair.privatePem);
    expect(new X509Certificate(made.cert).publicKey.export({ type: 'spki', format: 'pem' })).toBe(pair.publicPem);
  });
});

describe('a handshake', () => {
  it('succeeds both ways and identifies the client to the server', async () => {
    expect(await handshake(server, { ca: ca.cert, ...client }, ca.cert)).toBe('DNS:reroll-webhook.reroll.client');
  });

  it('succeeds with two CAs in the bundle, in either order', async () => {
    expect(await handshake(server, { ca: otherCa.cert + ca.cert })).toBe('anonymous');
    expect(await handshake(server, { ca: ca.cert + otherCa.cert })).toBe('anonymous');
  });

  it('is rejected by a peer that does not trust the CA', async () => {
    expect(await handshake(server, { ca: otherCa.cert })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it('is rejected for another name', async () => {
    const other = await leafOf(ca, { dnsNames: ['other.reroll.svc'], commonName: host });
    expect(await handshake(other, { ca: ca.cert })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('is rejected for a certificate of the wrong purpose, at either end', async () => {
    const clientAsServer = await leafOf(ca, { usage: 'clientAuth' });
    expect(await handshake(clientAsServer, { ca: ca.cert })).toBe('INVALID_PURPOSE');
    expect(await handshake(server, { ca: ca.cert, ...server }, ca.cert)).toBe('INVALID_PURPOSE');
  });
});
