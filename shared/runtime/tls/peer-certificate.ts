import type { TLSSocket } from 'node:tls';

/**
 * When the certificate ends that the other end has shown, by the wall clock; 0 where it has shown none. TLS looks at it in
 * a full handshake alone: neither while a connection lasts, nor when a session is resumed.
 */
export function peerCertificateEndMs(socket: Pick<TLSSocket, 'getPeerX509Certificate'>): number {
  const certificate = socket.getPeerX509Certificate();
  return certificate ? Date.parse(certificate.validTo) : 0;
}
