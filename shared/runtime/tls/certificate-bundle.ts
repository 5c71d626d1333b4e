import { X509Certificate } from 'node:crypto';

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates among the first `most` blocks of a bundle; unreadable ones are skipped. */
export function readBundle(pem: string, most = Infinity): readonly X509Certificate[] {
  return (pem.match(pemBlock) ?? []).slice(0, most).flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}
