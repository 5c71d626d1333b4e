import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../shared/domain/text/duration';
import { errorMessage } from '../../shared/domain/errors';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { RateLimitedWarning } from '../../shared/runtime/log/rate-limited-warning';
import { reviewPaths, type ReviewPath, type WebhookMetrics } from '../metrics';
import { maxBodyBytes } from './review-exchange';
import type { ReviewHandler } from './review-handler';
import type { TokenAuthenticator } from './webhook-tokens';

export interface ReviewEndpointOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly handler: Pick<ReviewHandler, 'begin'>;
  readonly callers: TokenAuthenticator;
  /** Whether to ask callers to close their connection after the answer. */
  readonly isClosing: () => boolean;
}

/** Compared byte for byte with what an API server sends: nothing is decoded, lower-cased or cut off first. */
const reviewUrl = /^\/(?<hook>[a-z]+)\/(?<token>[0-9a-f]{64})(?:\?(?<query>.*))?$/;

interface Call {
  readonly path: ReviewPath;
  readonly query: string;
}

/**
 * Answers calls to `/mutate/<token>` and `/validate/<token>`. Every other request gets the same answer, and only its
 * first line is looked at: a caller without a token learns nothing, and its body is never received.
 */
export class ReviewEndpoint {
  readonly #options: ReviewEndpointOptions;
  readonly #warning: RateLimitedWarning;

  constructor(options: ReviewEndpointOptions) {
    this.#options = options;
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const { logger, metrics } = this.#options;
    // Without a listener, a caller that resets its connection would crash the process.
    response.on('error', () => undefined);
    const call = this.#callOf(request);
    if (!call) {
      this.#reportStranger(request);
      metrics.requestsTotal.inc({ path: 'other', code: '404' });
      answer(response, 404, Buffer.from('not found\n'), true);
      return;
    }
    try {
      this.#review(call, request, response);
    } catch (thrown) {
      logger.error('a review failed', { error: errorMessage(thrown) });
      metrics.requestsTotal.inc({ path: call.path, code: '500' });
      answer(response, 500, Buffer.from('internal error\n'), true);
    }
  }

  /** Whether to receive the body of the request. */
  isWelcome(request: IncomingMessage): boolean {
    return this.#callOf(request) !== undefined;
  }

  #callOf({ method, url = '' }: IncomingMessage): Call | undefined {
    const { hook, token, query = '' } = reviewUrl.exec(url)?.groups ?? {};
    const path = reviewPaths.find((known) => known === hook);
    if (path === undefined || token === undefined || method !== 'POST') return undefined;
    return this.#options.callers.isKnown(token) ? { path, query } : undefined;
  }

  /** The requested path is not logged: it may hold a token with a typo, or one that was revoked a moment ago. */
  #reportStranger({ socket }: IncomingMessage): void {
    const { callers, logger } = this.#options;
    const fields = { address: socket.remoteAddress, problem: callers.problem };
    logger.debug('a call without a known token was refused', fields);
    this.#warning.warn(
      'stranger',
      'a call without a known token was refused; if an API server made it, the path in the webhook configuration is ' +
        'out of date: check that `reroll certs` is running, which writes it',
      fields,
    );
  }

  #review({ path, query }: Call, request: IncomingMessage, response: ServerResponse): void {
    const { handler, isClosing, metrics } = this.#options;
    const refuse = (status: number, message: string): void => {
      metrics.requestsTotal.inc({ path, code: String(status) });
      // The body is not read, so the connection cannot be reused.
      answer(response, status, Buffer.from(`${message}\n`), true);
    };
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      refuse(415, 'a review is application/json');
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
      refuse(413, `a review has at most ${maxBodyBytes} bytes`);
      return;
    }
    const exchange = handler.begin({
      path,
      timeoutMs: timeoutOf(query),
      answer: ({ status, body, early }) => answer(response, status, body, early || isClosing()),
    });
    request.on('data', (chunk: Buffer) => exchange.push(chunk));
    request.on('end', () => exchange.end());
    // Not the request's `close`: that fires when the body has been read, and the answer may take longer.
    response.on('close', () => exchange.abort());
  }
}

function answer(response: ServerResponse, status: number, body: Buffer, close: boolean): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'application/json' : 'text/plain; charset=utf-8',
    'content-length': String(body.length),
    ...(close && { connection: 'close' }),
  });
  response.end(body);
}

/** The API server sends how long it waits, as `?timeout=2s`. */
function timeoutOf(query: string): number | undefined {
  const timeout = new URLSearchParams(query).get('timeout');
  try {
    return timeout === null ? undefined : parseDuration(timeout);
  } catch {
    return undefined;
  }
}
