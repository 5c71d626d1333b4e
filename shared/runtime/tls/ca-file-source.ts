import { X509Certificate } from 'node:crypto';
import type { Clock } from '../clock';
import { FileSource } from './file-source';
import type { Logger } from '../log/logger';
import { MaterialSlot, type MaterialKind } from './material-slot';
import type { MaterialSource } from './tls-material';

/** The CAs for the certificates of a server's callers, in PEM. */
export type CaSource = MaterialSource<string>;

export interface CaFileSourceOptions {
  readonly path: string;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const what = 'CAs for the certificates of callers';

const bundleKind: MaterialKind<string> = {
  problemOf: caBundleProblem,
  isSame: (left, right) => left === right,
  loaded: () => [`${what} loaded`],
  notLoaded: (isFirst) => `${what} not loaded, ${isFirst ? 'no connection is accepted' : 'those in use stay'}`,
};

/** A bundle of CAs from a mounted file. */
export class CaFileSource extends FileSource<string> {
  constructor({ path, readFile, clock, logger }: CaFileSourceOptions) {
    const slot = new MaterialSlot(logger.child({ file: path }), bundleKind);
    super(clock, slot, async () => (await readFile(path)).toString('utf8'));
  }
}

/**
 * Why a bundle of CAs must not be used; undefined if it may. TLS would replace an empty bundle with the system's CAs,
 * and would silently use the readable part of a truncated one.
 */
export function caBundleProblem(bundle: string): string | undefined {
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) return 'the bundle holds no certificate';
  return certificates.every(isCertificate) ? undefined : 'the bundle is truncated';
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
