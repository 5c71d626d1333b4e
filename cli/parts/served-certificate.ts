import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** What a server presents, and whether somebody who trusts certain CAs accepts who signed it. */
export interface ServedCertificate {
  readonly certificate: X509Certificate;
  /** Why the signature is not trusted; undefined: it is, or no CA was given. */
  readonly problem: string | undefined;
}

/** OpenSSL judges by the clock of this machine, which may be off; validity is judged by the API server's instead. */
const byClock = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];

/** Shakes hands with a server on a connection that is open already, and ends it. */
export async function servedCertificate(
  connection: Duplex,
  { host, caBundle }: { readonly host: string; readonly caBundle: string | undefined },
): Promise<ServedCertificate> {
  const socket = connect({
    ...{ socket: connection, servername: host, rejectUnauthorized: false, allowPartialTrustChain: true },
    ...(caBundle !== undefined && { ca: caBundle }),
    // The names are compared by the caller, whatever the signature is worth.
    checkServerIdentity: () => undefined,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      // Stays attached: an error after the handshake must not be uncaught.
      socket.on('error', reject);
      socket.once('close', () => reject(new Error('the connection ended before the handshake')));
    });
    const certificate = socket.getPeerX509Certificate();
    if (!certificate) throw new Error('the server presents no certificate');
    const { authorized, authorizationError } = socket;
    // The types say Error; Node gives the code of OpenSSL.
    const code = String(authorizationError);
    const isTrusted = authorized || caBundle === undefined || byClock.includes(code);
    return { certificate, problem: isTrusted ? undefined : code };
  } finally {
    socket.destroy();
    connection.destroy();
  }
}
