import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** By common name. Generating a key is slow. */
const made = new Map<string, TestCertificate>();

/** A self-signed certificate for 127.0.0.1; the same one for the same name. */
export function selfSigned(commonName: string): TestCertificate {
  const certificate = made.get(commonName) ?? make(commonName);
  made.set(commonName, certificate);
  return certificate;
}

/** One with a key that is too short for TLS, whichever OpenSSL Node has. */
export function withShortKey(): TestCertificate {
  return make('short', 512);
}

function make(commonName: string, modulusLength = 2048): TestCertificate {
  // forge's own key generation blocks for seconds.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const forgeKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(forgeKey.n, forgeKey.e);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(Date.UTC(2020, 0, 1));
  certificate.validity.notAfter = new Date(Date.UTC(2049, 0, 1));
  const name = [{ name: 'commonName', value: commonName }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 7, ip: '127.0.0.1' },
        { type: 2, value: 'kubernetes.default' },
      ],
    },
  ]);
  certificate.sign(forgeKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}
