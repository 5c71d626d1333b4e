import type { TLSSocket } from 'node:tls';

/**
 * When the certificate of the peer expires, by the wall clock; 0 if it has shown none. TLS checks this only in a full
 * handshake: neither during a connection, nor when a session is resumed.
 */
export function peerCertificateEndMs(socket: Pick<TLSSocket, 'getPeerX509Certificate'>): number {
  const certificate = socket.getPeerX509Certificate();
  return certificate ? Date.parse(certificate.validTo) : 0;
}

/** The material of one end of a TLS connection; every field is PEM. */
export interface TlsMaterial {
  /** The leaf, followed by any intermediates. */
  readonly cert: string;
  readonly key: string;
  /** The CAs to trust for the peer; during a rotation there are two. */
  readonly ca: string;
}

/** A source of TLS material for a server or client. It reports new material. */
export interface MaterialSource<Material> {
  /** Undefined until there is usable material. Unusable material does not replace it. */
  current(): Material | undefined;
  /** Called after {@link current} has changed. */
  onChange(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}

export type TlsMaterialSource = MaterialSource<TlsMaterial>;
