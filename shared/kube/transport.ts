/**
 * The one way to reach an API server: passed in, so that a simulation can own the network.
 *
 * `https-transport.ts` is the real one. A transport adds address and TLS; credentials are headers and come from above.
 */
export interface Transport {
  /**
   * Resolves when the response's head has arrived. Rejects with a ConnectionError when there is no answer, and as soon
   * as `signal` is aborted. The body rejects in the same ways while it is read; leaving its loop early closes the stream.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
  /**
   * Watches have connections of their own: long streams must not use up those of requests. `urgent`: a request that must not
   * wait until one of those is free.
   */
  readonly pool: 'request' | 'urgent' | 'watch';
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}
