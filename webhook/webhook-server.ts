import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { parseDuration } from '../shared/domain/duration';
import { errorMessage } from '../shared/domain/errors';
import { sleep, type Clock } from '../shared/runtime/clock';
import { listenOn } from '../shared/runtime/listen';
import type { ListenAddress } from '../shared/runtime/listen-address';
import type { Logger } from '../shared/runtime/logger';
import { OpenSockets } from '../shared/runtime/open-sockets';
import type { TlsMaterial, TlsMaterialSource } from '../shared/runtime/tls-material';
import { reviewPaths, type ReviewPath, type WebhookMetrics } from './metrics';
import { maxBodyBytes } from './review-exchange';
import type { ReviewHandler } from './review-handler';

export interface WebhookServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
  readonly handler: Pick<ReviewHandler, 'begin'>;
  readonly tls: TlsMaterialSource;
}

/** `closing` asks each caller to leave after its answer. */
type State = 'stopped' | 'listening' | 'draining' | 'closing';

export interface WebhookServerStatus {
  readonly state: State;
  /** Why no API server can trust what is served; undefined while it may. */
  readonly certificateProblem: string | undefined;
}

/** Until every API server has seen that this endpoint is gone. */
const keepServingMs = 5_000;
/** Until every kept connection has had a call to be closed after. */
const askToCloseMs = 5_000;
/** From the beginning of the stop. */
const hardStopMs = 20_000;

/**
 * Longer than the 90 s after which an API server closes an idle connection: it does not repeat a call that met our close
 * half way.
 */
const keepAliveMs = 120_000;

/** A pool of an API server is some tens of connections. */
const maxConnections = 512;

/** HTTPS for API servers: `/mutate` and `/validate`. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #server: Server;
  readonly #sockets: OpenSockets;
  #state: State = 'stopped';
  /** When the certificate in use begins and ends. */
  #validity: { readonly fromMs: number; readonly untilMs: number } | undefined;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    // Node counts from the handshake: an API server may open a connection that it has no call for yet, and keeps it as
    // long as any other. A body that comes slowly ends with its review.
    const limits = { headersTimeout: keepAliveMs, requestTimeout: keepAliveMs };
    // By default two minutes: whoever opened connections and was silent would keep the API servers out for so long.
    const handshake = { minVersion: 'TLSv1.2', handshakeTimeout: 5_000 } as const;
    this.#server = createServer({ ...limits, ...handshake }, this.#routes());
    this.#server.keepAliveTimeout = keepAliveMs;
    this.#server.maxHeadersCount = 100;
    this.#server.maxConnections = maxConnections;
    this.#sockets = new OpenSockets(this.#server);
    this.#server.on('tlsClientError', (error) => {
      options.metrics.tlsErrorsTotal.inc();
      options.logger.debug('a TLS handshake failed', { error: errorMessage(error) });
    });
    options.tls.onChange(() => this.#useCertificate());
    this.#useCertificate();
  }

  /** Whether calls are answered, and new ones welcome. */
  get status(): WebhookServerStatus {
    return { state: this.#state, certificateProblem: this.#certificateProblem() };
  }

  /**
   * Resolves with the port in use. Without a certificate handshakes fail until there is one.
   *
   * @throws ListenError
   */
  async listen(address: ListenAddress): Promise<{ readonly port: number }> {
    const port = await listenOn(this.#server, address, '--webhook-listen');
    this.#state = 'listening';
    return { port };
  }

  /**
   * Ends without failing a call. Closing at once would fail every call that is sent on a kept connection before the API
   * server has seen the close; so they are first given time to go elsewhere, then asked to close by themselves.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#options;
    this.#state = 'draining';
    // Who has pressed Ctrl-C should not take it for a process that hangs.
    logger.info('calls are still answered for a moment, so that none fails', { forMs: keepServingMs + askToCloseMs });
    const hardStop = clock.timer(hardStopMs, () => {
      logger.warn('connections were still busy and have been cut', { afterMs: hardStopMs });
      this.#sockets.destroy();
    });
    await sleep(clock, keepServingMs);
    this.#state = 'closing';
    await sleep(clock, askToCloseMs);
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
    });
    hardStop.cancel();
    this.#state = 'stopped';
  }

  /** Kept connections go on with the certificate they began with; new ones get this one. */
  #useCertificate(): void {
    const { logger, metrics, tls } = this.#options;
    const material = tls.current();
    if (!material) return;
    try {
      this.#server.setSecureContext(secureContext(material));
      const { validFrom, validTo } = new X509Certificate(material.cert);
      this.#validity = { fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) };
      metrics.certificateNotAfterSeconds.set(this.#validity.untilMs / 1000);
      metrics.certificateSwapsTotal.inc({ result: 'applied' });
    } catch (thrown) {
      metrics.certificateSwapsTotal.inc({ result: 'refused' });
      logger.error('a new certificate cannot be used; the one before stays in use', { error: errorMessage(thrown) });
    }
  }

  #certificateProblem(): string | undefined {
    const where = 'see --certs-secret and --tls-dir';
    if (!this.#validity) return `there is none yet: ${where}`;
    const { fromMs, untilMs } = this.#validity;
    const nowMs = this.#options.clock.nowMs();
    if (fromMs <= nowMs && nowMs < untilMs) return undefined;
    return `it is valid from ${new Date(fromMs).toISOString()} to ${new Date(untilMs).toISOString()} only: ${where}`;
  }

  #routes(): Express {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    for (const path of reviewPaths) {
      app.post(`/${path}`, (request, response) => this.#review(path, request, response));
      app.all(`/${path}`, (_request, response) => {
        response.setHeader('Allow', 'POST');
        this.#refuse(path, response, 405, 'method not allowed: a review is sent with POST');
      });
    }
    app.use((_request: Request, response: Response) => {
      this.#refuse('other', response, 404, 'not found: reviews go to /mutate or /validate');
    });
    // Express would show the stack to whoever asks.
    app.use((thrown: unknown, _request: Request, response: Response, next: NextFunction) => {
      this.#options.logger.error('a request failed', { error: errorMessage(thrown) });
      if (response.headersSent) next(thrown);
      else this.#refuse('other', response, 500, 'internal error');
    });
    return app;
  }

  #review(path: ReviewPath, request: Request, response: Response): void {
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      this.#refuse(path, response, 415, 'a review is application/json');
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
      this.#refuse(path, response, 413, `a review has at most ${maxBodyBytes} bytes`);
      return;
    }
    const exchange = this.#options.handler.begin({
      path,
      timeoutMs: timeoutOf(request),
      answer: ({ status, body, early }) => this.#answer(response, status, body, early),
    });
    request.on('data', (chunk: Buffer) => exchange.push(chunk));
    request.on('end', () => exchange.end());
    // Not the request's: that closes when its body has been read, and an answer may take longer.
    response.on('close', () => exchange.abort());
  }

  /** Its body is not read, so the connection is of no more use. */
  #refuse(path: ReviewPath | 'other', response: Response, status: number, message: string): void {
    this.#options.metrics.requestsTotal.inc({ path, code: String(status) });
    this.#answer(response, status, Buffer.from(`${message}\n`), true);
  }

  #answer(response: Response, status: number, body: Buffer, closeConnection: boolean): void {
    if (closeConnection || this.#state === 'closing') response.setHeader('Connection', 'close');
    response.writeHead(status, {
      'content-type': status === 200 ? 'application/json' : 'text/plain; charset=utf-8',
      'content-length': String(body.length),
    });
    response.end(body);
  }
}

/** Everything, each time: what `setSecureContext` is not given goes back to Node's default. */
function secureContext({ cert, key }: TlsMaterial) {
  return { cert, key, minVersion: 'TLSv1.2' } as const;
}

/** The API server says how long it waits, as `?timeout=2s`. */
function timeoutOf({ query }: Request): number | undefined {
  const { timeout } = query;
  try {
    return typeof timeout === 'string' ? parseDuration(timeout) : undefined;
  } catch {
    return undefined;
  }
}
