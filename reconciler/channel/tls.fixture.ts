import { generateKeyPairSync } from 'node:crypto';
import { md, pki } from 'node-forge';
import type { TlsMaterial } from '../../shared/runtime/tls/tls-material';

export interface LeafOptions {
  readonly dnsName: string;
  readonly usage: 'serverAuth' | 'clientAuth';
  /** Many years from now by default. */
  readonly notAfter?: Date;
}

export interface TestAuthority {
  readonly ca: string;
  leaf(options: LeafOptions): Pick<TlsMaterial, 'cert' | 'key'>;
}

/** A private key, PEM. It is shared because generating one is slow. */
export function privateKey(): string {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

const authorityKey = privateKey();
const leafKey = privateKey();
let serial = 0;
const lastDay = new Date(Date.UTC(2049, 0, 1));

/** All authorities share one key, and all leaves another: only names differ, and those are what is tested. */
export function testAuthority(commonName: string, key = authorityKey): TestAuthority {
  const subject = [{ name: 'commonName', value: commonName }];
  const sign = (name: string, keyPem: string, extensions: object[], notAfter = lastDay): string => {
    const certificate = pki.createCertificate();
    const { n, e } = pki.privateKeyFromPem(keyPem);
    certificate.publicKey = pki.setRsaPublicKey(n, e);
    certificate.serialNumber = `01${(++serial).toString(16).padStart(4, '0')}`;
    certificate.validity.notBefore = new Date(Date.UTC(2020, 0, 1));
    certificate.validity.notAfter = notAfter;
    certificate.setSubject([{ name: 'commonName', value: name }]);
    certificate.setIssuer(subject);
    certificate.setExtensions(extensions);
    certificate.sign(pki.privateKeyFromPem(key), md.sha256.create());
    return pki.certificateToPem(certificate);
  };
  const ca = sign(commonName, key, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  return {
    ca,
    leaf: ({ dnsName, usage, notAfter }) => {
      const extensions = [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
        { name: 'extKeyUsage', [usage]: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: dnsName }] },
      ];
      return { key: leafKey, cert: sign(dnsName, leafKey, extensions, notAfter) };
    },
  };
}
