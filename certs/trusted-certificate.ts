import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readBundle } from '../shared/runtime/tls/certificate-bundle';
import type { CertificatePair } from './certificate';

/** The parts of a certificate that decisions need. */
export interface TrustedCertificate {
  readonly cert: string;
  /** SHA-256 of the whole certificate: two certificates with the same name and key differ. */
  readonly fingerprint: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface CertificateWithKey extends TrustedCertificate, CertificatePair {}

/** SHA-256 of each certificate in a bundle. */
export function fingerprintsOf(pem: string): ReadonlySet<string> {
  return new Set(readBundle(pem).map(({ fingerprint256 }) => fingerprint256));
}

export function trustedCertificate(x509: X509Certificate): TrustedCertificate {
  return {
    cert: x509.toString(),
    fingerprint: x509.fingerprint256,
    notBeforeMs: Date.parse(x509.validFrom),
    notAfterMs: Date.parse(x509.validTo),
  };
}

/** A pair that needs no check, because Reroll created it. */
export function withKey({ cert, key }: CertificatePair): CertificateWithKey {
  return { ...trustedCertificate(new X509Certificate(cert)), key };
}

/** Whether `key` is the private key of the certificate; false also if it is not a key. */
export function matchesKey(x509: X509Certificate, key: string): boolean {
  try {
    return x509.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Go ignores the common name, so only the SAN is checked. */
export function isValidForHost(x509: X509Certificate, host: string): boolean {
  return x509.checkHost(host, { subject: 'never' }) !== undefined;
}

const usageOids = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** Whether the extended key usage allows this use. */
export function allowsUsage(x509: X509Certificate, usage: keyof typeof usageOids): boolean {
  // The types assume that this extension always exists; it may be missing.
  const usages = x509.keyUsage as readonly string[] | undefined;
  return usages?.includes(usageOids[usage]) === true;
}

/** By name, key identifier and signature: two CAs with the same key are still different CAs. */
export function isSignedBy(leaf: X509Certificate, authority: X509Certificate): boolean {
  return authority.ca && leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

export function isValidAt({ notBeforeMs, notAfterMs }: TrustedCertificate, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs < notAfterMs;
}
