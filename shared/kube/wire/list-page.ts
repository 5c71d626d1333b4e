/** The relevant metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string | undefined;
  /** Token for the next page; undefined on the last. */
  readonly continue: string | undefined;
}

/** Splits the body of a list into its items as the bytes arrive: no list is ever held whole. */
export interface ListSplitter {
  /** The items that `chunk` completes, each in its own bytes. @throws ProtocolError */
  push(chunk: Buffer): Iterable<Buffer>;
  /** The metadata, which may follow the items. @throws ProtocolError if the list is not complete. */
  end(): ListMetadata;
}
