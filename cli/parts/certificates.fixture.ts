import { generateKeyPairSync } from 'node:crypto';
import { md, pki } from 'node-forge';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
let serialNumber = 0;

/** A certificate for a server that signs itself, and so is its own CA. */
export function certificateFor(
  dnsName: string,
  {
    notBefore = '2025-01-01',
    notAfter = '2049-01-01',
  }: { readonly notBefore?: string; readonly notAfter?: string } = {},
): TestCertificate {
  const forgeKey = pki.privateKeyFromPem(key);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(forgeKey.n, forgeKey.e);
  certificate.serialNumber = String(++serialNumber).padStart(2, '0');
  certificate.validity.notBefore = new Date(notBefore);
  certificate.validity.notAfter = new Date(notAfter);
  const name = [{ name: 'commonName', value: `${dnsName} ${serialNumber}` }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: dnsName }] },
  ]);
  certificate.sign(forgeKey, md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key };
}
