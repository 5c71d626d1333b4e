/** The material of one end of a TLS connection; every field is PEM. */
export interface TlsMaterial {
  /** The leaf, followed by any intermediates. */
  readonly cert: string;
  readonly key: string;
  /** The CAs to trust for the peer; during a rotation there are two. */
  readonly ca: string;
}

/** Where a server or client gets its certificate, and how it learns about a new one. */
export interface TlsMaterialSource {
  /** Undefined until there is usable material; usable material is kept when unusable material follows. */
  current(): TlsMaterial | undefined;
  /** Called after {@link current} has changed. */
  onChange(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}
