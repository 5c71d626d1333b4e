/** What is posted; the address is the transport's own, since it may hold a credential. */
export interface Post {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface PostAnswer {
  readonly status: number;
  /** How long it asks to be left alone, with a 429 or 503. */
  readonly retryAfterMs: number | undefined;
}

/** The way to one receiver outside of the cluster: passed in, so that a test or a simulation owns the network. */
export interface PostTransport {
  /** Rejects when there is no answer, and as soon as `signal` is aborted. No error holds a part of the address. */
  post(post: Post, signal: AbortSignal): Promise<PostAnswer>;
}
