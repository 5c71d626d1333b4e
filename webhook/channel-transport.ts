/** What a reconciler says to a batch. */
export interface ChannelAnswer {
  readonly status: number;
  /** How long it asks to be left alone, with a 429 or 503. */
  readonly retryAfterMs?: number | undefined;
}

/** The way to one replica of the reconciler: passed in, so that a simulation can own the network. */
export interface ChannelTransport {
  /**
   * `POST /v1/changes` to `ip:port`. Rejects when there is no answer, and as soon as `signal` is aborted.
   *
   * @param body a batch, as `changeBatchBody` writes it
   */
  post(address: string, body: Buffer, signal: AbortSignal): Promise<ChannelAnswer>;
}
