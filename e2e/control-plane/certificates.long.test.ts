import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pki } from 'node-forge';
import { apiRequest } from './api-request';
import { type CertificateAuthority, createAuthority, createSigningRequest, generateRsaKeyPair } from './certificates';

let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await createAuthority('test-ca');
});

describe('issue', () => {
  it('signs certificates that belong to their keys, each with a serial number of its own', async () => {
    const ca = new X509Certificate(authority.caPem);
    const [first, second] = await Promise.all(
      ['a', 'b'].map(async (user) => await authority.issue({ commonName: user })),
    );
    for (const { certPem, keyPem } of [first!, second!]) {
      const certificate = new X509Certificate(certPem);
      expect(certificate.checkIssued(ca)).toBe(true);
      expect(certificate.verify(ca.publicKey)).toBe(true);
      expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
      expect(certificate.ca).toBe(false);
    }
    expect(new X509Certificate(first!.certPem).serialNumber).not.toBe(
      new X509Certificate(second!.certPem).serialNumber,
    );
  });

  it('puts the user and its groups where Kubernetes reads them', async () => {
    const { certPem } = await authority.issue({ commonName: 'jane', organizations: ['dev', 'ops'] });
    expect(new X509Certificate(certPem).subject.split('\n')).toEqual(['O=dev', 'O=ops', 'CN=jane']);
  });

  it('is valid already and not for long', async () => {
    const { validFrom, validTo } = new X509Certificate((await authority.issue({ commonName: 'a' })).certPem);
    expect(Date.parse(validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBeLessThan(31 * 24 * 3600 * 1000);
  });

  it('makes server and client certificates that TLS accepts on both sides', async () => {
    const server = await authority.issue({ commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
    const identity = await authority.issue({ commonName: 'client' });
    const https = createServer(
      { ca: authority.caPem, cert: server.certPem, key: server.keyPem, requestCert: true, rejectUnauthorized: true },
      (_incoming, response) => response.end(),
    );
    const peers: unknown[] = [];
    https.on('secureConnection', (socket) => peers.push(socket.getPeerCertificate().subject.CN));
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
    try {
      const url = `https://127.0.0.1:${(https.address() as AddressInfo).port}`;
      const answer = await apiRequest({ url, caPem: authority.caPem, identity }, 'GET', '/');
      expect(answer.status).toBe(200);
      expect(peers).toEqual(['client']);
    } finally {
      await new Promise((resolve) => https.close(resolve));
    }
  });
});

it('createSigningRequest proves that it has the key', async () => {
  const request = pki.certificationRequestFromPem(createSigningRequest(await generateRsaKeyPair(), 'jane', ['dev']));
  expect(request.verify()).toBe(true);
  expect(request.subject.attributes.map(({ shortName, value }) => [shortName, value])).toEqual([
    ['O', 'dev'],
    ['CN', 'jane'],
  ]);
});
