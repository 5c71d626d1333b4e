import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { objectOf } from '../../domain/kubernetes/json-value';
import { isTruncated } from './ca-file-source';
import type { MaterialKind } from './material-slot';
import type { TlsMaterial } from './tls-material';

/** A certificate with its key and the CAs to trust, which a server could start with. */
export const tlsMaterialKind: MaterialKind<TlsMaterial> = {
  problemOf,
  isSame: (left, right) => left.cert === right.cert && left.key === right.key && left.ca === right.ca,
  loaded: ({ cert }, isFirst) => [
    isFirst ? 'certificate loaded' : 'new certificate in use',
    { notAfter: new X509Certificate(cert).validTo },
  ],
  notLoaded: (isFirst) => `certificate not loaded, ${isFirst ? 'there is none yet' : 'the one in use stays'}`,
};

const truncated = 'the chain after the certificate, or the CA bundle, is truncated';

/**
 * Why no TLS server or client could use the material; undefined if one could. Files and keys are written one after the
 * other, so they may not fit together.
 */
function problemOf({ cert, key, ca }: TlsMaterial): string | undefined {
  try {
    new X509Certificate(ca);
  } catch {
    return 'the CA bundle holds no certificate';
  }
  if (isTruncated(ca)) return truncated;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return 'the certificate is unreadable';
  }
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return 'the private key does not belong to the certificate';
  } catch {
    return 'the private key is unreadable';
  }
  try {
    // Check all of it: after a valid first certificate, the rest of a chain may be truncated.
    createSecureContext({ cert, key, ca });
    return undefined;
  } catch (thrown) {
    return contentProblem(thrown) ?? truncated;
  }
}

/** OpenSSL can read everything, and does not accept it: a key is too short, or a signature is too weak. */
function contentProblem(thrown: unknown): string | undefined {
  const code = objectOf(thrown)['code'];
  if (typeof code !== 'string' || !code.startsWith('ERR_SSL_')) return undefined;
  return `TLS does not accept the certificate or a CA (${code})`;
}
