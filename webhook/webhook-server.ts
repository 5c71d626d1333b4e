import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { parseDuration } from '../shared/domain/duration';
import { errorMessage } from '../shared/domain/errors';
import { sleep, type Clock } from '../shared/runtime/clock';
import { ListenError } from '../shared/runtime/http-server';
import type { ListenAddress } from '../shared/runtime/listen-address';
import type { Logger } from '../shared/runtime/logger';
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

/** Until every API server has seen that this endpoint is gone. */
const keepServingMs = 5_000;
/** Until every kept connection has had a call to be closed after. */
const askToCloseMs = 5_000;
/** From the beginning of the stop. */
const hardStopMs = 20_000;

/** A pool of an API server is some tens of connections. */
const maxConnections = 512;

/** HTTPS for API servers: `/mutate` and `/validate`. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #server: Server;
  #state: State = 'stopped';
  #certified = false;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    // Node looks for connections beyond these limits only every 30 s unless told otherwise.
    const limits = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
    this.#server = createServer({ ...limits, minVersion: 'TLSv1.2' }, this.#routes());
    // Longer than the 90 s after which an API server closes an idle connection: it does not repeat a call that met our
    // close half way.
    this.#server.keepAliveTimeout = 120_000;
    this.#server.maxHeadersCount = 100;
    this.#server.maxConnections = maxConnections;
    this.#server.on('tlsClientError', (error) => {
      options.metrics.tlsErrorsTotal.inc();
      options.logger.debug('a TLS handshake failed', { error: errorMessage(error) });
    });
    options.tls.onChange(() => this.#useCertificate());
    this.#useCertificate();
  }

  /** Whether calls are answered, and new ones welcome. */
  get status(): { readonly state: State; readonly certified: boolean } {
    return { state: this.#state, certified: this.#certified };
  }

  /**
   * Resolves with the port in use. Without a certificate handshakes fail until there is one.
   *
   * @throws ListenError
   */
  async listen(address: ListenAddress): Promise<{ readonly port: number }> {
    await new Promise<void>((resolve, reject) => {
      const onError = (cause: NodeJS.ErrnoException): void =>
        reject(new ListenError(address, cause, '--webhook-listen'));
      this.#server.once('error', onError);
      this.#server.listen({ port: address.port, host: address.host }, () => {
        this.#server.off('error', onError);
        resolve();
      });
    });
    this.#state = 'listening';
    return { port: (this.#server.address() as AddressInfo).port };
  }

  /**
   * Ends without failing a call. Closing at once would fail every call that is sent on a kept connection before the API
   * server has seen the close; so they are first given time to go elsewhere, then asked to close by themselves.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#options;
    this.#state = 'draining';
    const hardStop = clock.timer(hardStopMs, () => {
      logger.warn('connections were still busy and have been cut', { afterMs: hardStopMs });
      this.#server.closeAllConnections();
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
      this.#certified = true;
      metrics.certificateSwapsTotal.inc({ result: 'applied' });
    } catch (thrown) {
      metrics.certificateSwapsTotal.inc({ result: 'refused' });
      logger.error('a new certificate cannot be used; the one before stays in use', { error: errorMessage(thrown) });
    }
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
    request.on('close', () => exchange.abort());
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
