/** What is posted. The transport has the address, which may contain a credential. */
export interface Post {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface PostAnswer {
  readonly status: number;
  /** The delay that the receiver asks for, with a 429 or 503. */
  readonly retryAfterMs: number | undefined;
}

/**
 * The connection to one receiver outside the cluster. It is passed in, so that a test or a simulation controls the
 * network.
 */
export interface PostTransport {
  /** Rejects if there is no answer, and as soon as `signal` is aborted. No error contains a part of the address. */
  post(post: Post, signal: AbortSignal): Promise<PostAnswer>;
}
