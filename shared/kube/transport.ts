import type { Duplex } from 'node:stream';

/**
 * The connection to an API server. It is passed in, so that a simulation can replace the network.
 *
 * `https-transport.ts` is the real one. A transport adds address and TLS; the caller adds credentials as headers.
 */
export interface Transport {
  /**
   * Resolves when the response headers have arrived. Rejects with a ConnectionError if there is no answer, and as soon
   * as `signal` is aborted. Reading the body rejects in the same ways; leaving its loop early closes the stream.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  /** Several values for impersonation are lines of one: each is sent as a header of its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
  /**
   * Watches use connections of their own, so that long streams do not use up those of requests. `urgent`: a request
   * that must not wait for a free connection.
   */
  readonly pool: 'request' | 'urgent' | 'watch';
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Buffer>;
  /** The connection after 101 Switching Protocols, which belongs to the caller. */
  readonly upgraded?: Duplex;
}
