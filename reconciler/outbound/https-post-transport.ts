import http from 'node:http';
import https from 'node:https';
import { parseRetryAfter } from '../../shared/kube/retry-after';
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
  /** Redirects that are followed; a further one is the answer. */
  readonly maxRedirects: number;
  /** Authorities to trust instead of Node's (which NODE_EXTRA_CA_CERTS adds to), PEM. */
  readonly ca?: string;
}

/** As a browser follows them: the first three turn a POST into a GET, the others repeat it. */
const redirects: Readonly<Record<number, 'GET' | 'POST'>> = {
  301: 'GET',
  302: 'GET',
  303: 'GET',
  307: 'POST',
  308: 'POST',
};

interface Exchange {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
}

/** One connection for each request: receivers are asked rarely, and a kept connection may be dead by the next time. */
export class HttpsPostTransport implements PostTransport {
  readonly #options: HttpsPostTransportOptions;

  constructor(options: HttpsPostTransportOptions) {
    this.#options = options;
  }

  async post(post: Post, signal: AbortSignal): Promise<PostAnswer> {
    const { clock, maxRedirects, url } = this.#options;
    let exchange: Exchange = { url, method: 'POST' };
    for (let followed = 0; ; followed++) {
      const { status, headers } = await this.#send(exchange, post, signal);
      const next = followed < maxRedirects ? redirected(exchange, status, headers.location) : undefined;
      if (!next) return { status, retryAfterMs: parseRetryAfter(headers['retry-after'], clock.nowMs()) };
      exchange = next;
    }
  }

  async #send({ url, method }: Exchange, { contentType, body }: Post, signal: AbortSignal) {
    const { proxy, ca } = this.#options;
    const content = method === 'POST' ? { 'content-type': contentType, 'content-length': String(body.length) } : {};
    const headers = { host: url.host, 'user-agent': 'reroll', ...basicAuthorization('authorization', url), ...content };
    const path = url.pathname + url.search;
    try {
      const direct = { ...endpoint(url), path, headers, agent: false, ...(ca !== undefined && { ca }) };
      const route = proxy
        ? await proxyRoute(proxy, url, direct, signal)
        : { ...direct, secure: url.protocol === 'https:' };
      const { secure, ...request } = route;
      const outgoing = (secure ? https : http).request({ ...request, method, signal });
      const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
        outgoing.once('response', resolve);
        // Stays for good: an error after the response must not be an uncaught one.
        outgoing.on('error', reject);
        outgoing.end(method === 'POST' ? body : undefined);
      });
      // The status has said it all: a body that drips, or never ends, must hold nothing up.
      incoming.on('error', () => undefined);
      incoming.destroy();
      return { status: incoming.statusCode ?? 0, headers: incoming.headers };
    } catch (thrown) {
      throw postError(thrown);
    }
  }
}

function redirected({ url, method }: Exchange, status: number, location: string | undefined): Exchange | undefined {
  const followWith = redirects[status];
  if (followWith === undefined || location === undefined || !URL.canParse(location, url.href)) return undefined;
  const next = new URL(location, url);
  if (next.protocol !== 'http:' && next.protocol !== 'https:') return undefined;
  return { url: next, method: method === 'GET' ? 'GET' : followWith };
}
