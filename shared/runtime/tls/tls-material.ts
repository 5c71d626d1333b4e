/** What one end of a TLS connection needs; every field is PEM. */
export interface TlsMaterial {
  /** The leaf, followed by intermediates where there are any. */
  readonly cert: string;
  readonly key: string;
  /** The CAs to trust for the peer; during a rotation there are two. */
  readonly ca: string;
}

/** Where a server or client gets its certificate, and how it learns of a new one. */
export interface TlsMaterialSource {
  /** Undefined until there is material that fits together; what was there stays when something worse follows. */
  current(): TlsMaterial | undefined;
  /** Called after {@link current} has changed. */
  onChange(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}
