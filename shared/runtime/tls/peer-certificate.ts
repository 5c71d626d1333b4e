import type { TLSSocket } from 'node:tls';

/**
 * When the certificate of the peer expires, by the wall clock; 0 if it has shown none. TLS checks this only in a full
 * handshake: neither during a connection, nor when a session is resumed.
 */
export function peerCertificateEndMs(socket: Pick<TLSSocket, 'getPeerX509Certificate'>): number {
  const certificate = socket.getPeerX509Certificate();
  return certificate ? Date.parse(certificate.validTo) : 0;
}
