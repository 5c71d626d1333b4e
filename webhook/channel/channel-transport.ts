import type { ChannelPath } from '../../shared/domain/protocol/channel-names';

/** A reconciler's answer. */
export interface ChannelAnswer {
  readonly status: number;
  /** JSON, if there is a body. */
  readonly body?: Buffer;
  /** How long to wait before the next try, usually with a 429 or 503. */
  readonly retryAfterMs?: number | undefined;
}

/** Sends to replicas of the reconciler. It is passed in, so that a simulation can control the network. */
export interface ChannelTransport {
  /**
   * POST to `ip:port`. Rejects if there is no answer, and as soon as `signal` is aborted.
   *
   * @param body a batch, as `changeBatchBody` writes it, or a query, as JSON
   */
  post(address: string, path: ChannelPath, body: Buffer, signal: AbortSignal): Promise<ChannelAnswer>;
}
