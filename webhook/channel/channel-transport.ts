import type { ChannelPath } from '../../shared/domain/protocol/channel-names';

/** What a reconciler says. */
export interface ChannelAnswer {
  readonly status: number;
  /** JSON, where there is any. */
  readonly body?: Buffer;
  /** How long it asks to be left alone, with a 429 or 503. */
  readonly retryAfterMs?: number | undefined;
}

/** The way to one replica of the reconciler: passed in, so that a simulation can own the network. */
export interface ChannelTransport {
  /**
   * POST to `ip:port`. Rejects when there is no answer, and as soon as `signal` is aborted.
   *
   * @param body a batch, as `changeBatchBody` writes it, or a question, as JSON
   */
  post(address: string, path: ChannelPath, body: Buffer, signal: AbortSignal): Promise<ChannelAnswer>;
}
