import http from 'node:http';
import https from 'node:https';
import { parseRetryAfter } from '../../shared/kube/client/retry-after';
import type { Clock } from '../../shared/runtime/clock';
import { postError } from './post-error';
import type { Post, PostAnswer, PostTransport } from './post-transport';
import { proxyRoute } from './proxy-route';
import { basicAuthorization, endpoint } from './url-parts';

export interface HttpsPostTransportOptions {
  readonly clock: Clock;
  readonly url: URL;
  /** Undefined: straight to the receiver, whatever HTTP_PROXY says. */
  readonly proxy?: URL | undefined;
  /** Authorities to trust instead of Node's (which NODE_EXTRA_CA_CERTS adds to), PEM. */
  readonly ca?: string;
}

/**
 * One connection for each request: receivers are asked rarely, and a kept connection may be dead by the next time. A
 * redirect is the answer and is not followed: it would take what is told to somebody whom nobody named, or out of TLS.
 */
export class HttpsPostTransport implements PostTransport {
  readonly #options: HttpsPostTransportOptions;

  constructor(options: HttpsPostTransportOptions) {
    this.#options = options;
  }

  async post({ contentType, body }: Post, signal: AbortSignal): Promise<PostAnswer> {
    const { clock, url, proxy, ca } = this.#options;
    const content = { 'content-type': contentType, 'content-length': String(body.length) };
    const headers = { host: url.host, 'user-agent': 'reroll', ...basicAuthorization('authorization', url), ...content };
    const path = url.pathname + url.search;
    try {
      const direct = { ...endpoint(url), path, headers, agent: false, ...(ca !== undefined && { ca }) };
      const route = proxy
        ? await proxyRoute(proxy, url, direct, signal)
        : { ...direct, secure: url.protocol === 'https:' };
      const { secure, ...request } = route;
      const outgoing = (secure ? https : http).request({ ...request, method: 'POST', signal });
      const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
        outgoing.once('response', resolve);
        // Stays for good: an error after the response must not be an uncaught one.
        outgoing.on('error', reject);
        outgoing.end(body);
      });
      // The status has said it all: a body that drips, or never ends, must hold nothing up.
      incoming.on('error', () => undefined);
      incoming.destroy();
      const { statusCode: status = 0, headers: answered } = incoming;
      return { status, retryAfterMs: parseRetryAfter(answered['retry-after'], clock.nowMs()) };
    } catch (thrown) {
      throw postError(thrown);
    }
  }
}
