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

const begin = '-----BEGIN CERTIFICATE-----';

/** Why a bundle of CAs must not be used; undefined if it may. TLS would replace an empty one with the system's CAs. */
export function caBundleProblem(bundle: string): string | undefined {
  if (!bundle.includes(begin)) return 'the bundle holds no certificate';
  return isTruncated(bundle) ? 'the bundle is truncated' : undefined;
}

/** Whether not all of a bundle is readable. TLS would silently use the part that is. */
export function isTruncated(bundle: string): boolean {
  // A file may end within its last certificate.
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^]*?(?:-----END CERTIFICATE-----|$)/g) ?? [];
  return !certificates.every(isCertificate) || endsInBegin(bundle);
}

/** Whether the file ends within the line that begins another certificate. */
function endsInBegin(bundle: string): boolean {
  const lastLine = bundle.slice(bundle.lastIndexOf('\n') + 1);
  return lastLine !== '' && begin.startsWith(lastLine);
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
