import http from 'node:http';
import https from 'node:https';
import { parseRetryAfter } from '../kube/client/retry-after';
import type { Clock } from '../runtime/clock';
import { type Post, type PostAnswer, postError, type PostTransport } from './post-transport';
import { basicAuthorization, endpoint, proxyRoute } from './proxy-route';
import { responseTo } from './response-to';

export interface HttpsPostTransportOptions {
  readonly clock: Clock;
  readonly url: URL;
  /** Of each request besides our own; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: a direct connection, whatever HTTP_PROXY says. */
  readonly proxy?: URL | undefined;
  /** CAs to trust instead of Node's (which NODE_EXTRA_CA_CERTS extends), as PEM. Asked for each request. */
  readonly loadCa?: (() => Promise<string>) | undefined;
}

/**
 * One connection per request: requests are rare, and a kept connection may be dead by the next one. A redirect counts
 * as the answer and is not followed: it could send the content to a receiver that nobody configured, or without TLS.
 */
export class HttpsPostTransport implements PostTransport {
  readonly #options: HttpsPostTransportOptions;

  constructor(options: HttpsPostTransportOptions) {
    this.#options = options;
  }

  async post({ contentType, body }: Post, signal: AbortSignal): Promise<PostAnswer> {
    const { clock, url, headers: configured, proxy, loadCa } = this.#options;
    const content = { 'content-type': contentType, 'content-length': String(body.length) };
    const own = { host: url.host, 'user-agent': 'reroll', ...basicAuthorization('authorization', url) };
    const headers = { ...own, ...configured, ...content };
    const path = url.pathname + url.search;
    try {
      const ca = await loadCa?.();
      const direct = { ...endpoint(url), path, headers, agent: false, ...(ca !== undefined && { ca }) };
      const route = proxy
        ? await proxyRoute(proxy, url, direct, signal)
        : { ...direct, secure: url.protocol === 'https:' };
      const { secure, ...request } = route;
      const incoming = await responseTo((secure ? https : http).request({ ...request, method: 'POST', signal }), body);
      // The status is enough. A body that is slow or never ends must not delay anything.
      incoming.destroy();
      const { statusCode: status = 0, headers: answered } = incoming;
      return { status, retryAfterMs: parseRetryAfter(answered['retry-after'], clock.nowMs()) };
    } catch (thrown) {
      throw postError(thrown);
    }
  }
}
