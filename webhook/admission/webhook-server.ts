import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { errorMessage } from '../../shared/domain/errors';
import { sleep } from '../../shared/runtime/clock';
import { Connections, headLimits } from '../../shared/runtime/http/connections';
import { listenOn } from '../../shared/runtime/http/listen';
import type { ListenAddress } from '../../shared/runtime/http/listen-address';
import { peerCertificateEndMs } from '../../shared/runtime/tls/tls-material';
import { ReviewEndpoint } from './review-endpoint';
import type { ReviewHandler } from './review-handler';
import { ServedCertificate, type ServedCertificateOptions } from './served-certificate';
import type { TokenAuthenticator } from './webhook-tokens';

export interface WebhookServerOptions extends ServedCertificateOptions {
  readonly handler: Pick<ReviewHandler, 'begin'>;
  readonly callers: TokenAuthenticator;
}

/** In the state `closing`, each answer asks its caller to close the connection. */
type State = 'stopped' | 'listening' | 'draining' | 'closing';

export interface WebhookServerStatus {
  readonly state: State;
  /** Why no API server can trust the certificate; undefined if it can. */
  readonly certificateProblem: string | undefined;
  /** Why no call is accepted; undefined if some are. */
  readonly callerProblem: string | undefined;
}

/** Until every API server has seen that this endpoint was removed. */
const keepServingMs = 5_000;
/** Until every kept-alive connection has had a call, after which it is closed. */
const askToCloseMs = 5_000;

const connectionLimits = {
  /** The pool of one API server has some tens of connections. */
  max: 512,
  /**
   * All API servers may share the address of one proxy, so this must suffice for all calls that are read at once. A
   * caller that uses it up from one address leaves the other half free.
   */
  maxPerAddress: 256,
  /**
   * Longer than the 90 s after which an API server closes an idle connection: it does not repeat a call that crosses
   * our close. A connection that it opens before it has a call is kept as long as any other.
   */
  idleMs: 120_000,
  /** A review is answered within half a second, so a caller this slow is not reading. */
  slowMs: 1_000,
};

/** HTTPS for API servers: `/mutate` and `/validate`, each with a token. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #certificate: ServedCertificate;
  #state: State = 'stopped';

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    const { clientCa, clock, logger, metrics } = options;
    const client = { requestCert: clientCa !== undefined, rejectUnauthorized: true };
    this.#server = createServer({ ...headLimits, ...client, minVersion: 'TLSv1.2' });
    this.#connections = new Connections(this.#server, {
      ...{ clock, logger, what: 'webhook', ...connectionLimits },
      lifeOf: (socket) => (clientCa ? { untilMs: peerCertificateEndMs(socket) } : {}),
    });
    this.#server.on('tlsClientError', (error) => {
      metrics.tlsErrorsTotal.inc();
      logger.debug('a TLS handshake failed', { error: errorMessage(error) });
    });
    this.#certificate = new ServedCertificate(this.#server, options);
    // Open connections may keep their old server certificate, but a caller that a new CA no longer trusts must go.
    clientCa?.onChange(() => this.#connections.retire());
    this.#serve(new ReviewEndpoint({ ...options, isClosing: () => this.#state === 'closing' }));
  }

  /** Whether calls are answered, and new connections accepted. */
  get status(): WebhookServerStatus {
    return {
      state: this.#state,
      certificateProblem: this.#certificate.problem,
      callerProblem: this.#options.callers.problem,
    };
  }

  /** Resolves with the port in use. Handshakes fail until there is a certificate. @throws ListenError */
  async listen(address: ListenAddress): Promise<{ readonly port: number }> {
    const port = await listenOn(this.#server, address, '--webhook-listen');
    this.#state = 'listening';
    return { port };
  }

  /**
   * Stops without failing a call. Closing at once would fail each call that the API server sends before it sees the
   * close. So API servers first get time to use other endpoints, and are then asked to close their connections. After
   * that, a request still under way has as long as any request.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#options;
    this.#state = 'draining';
    // Otherwise the process would seem to hang after Ctrl-C.
    logger.info('stopping: calls are still answered, so that none fails', { forMs: keepServingMs + askToCloseMs });
    await sleep(clock, keepServingMs);
    this.#state = 'closing';
    await sleep(clock, askToCloseMs);
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#connections.retire();
    });
    this.#state = 'stopped';
  }

  #serve(endpoint: ReviewEndpoint): void {
    const serve = (request: IncomingMessage, response: ServerResponse): void => endpoint.serve(request, response);
    this.#server.on('request', serve);
    // By default, Node would ask any caller for its body, or send an answer of its own.
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (endpoint.isWelcome(request)) response.writeContinue();
      this.#server.emit('request', request, response);
    });
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#server.emit('request', request, response);
    });
  }
}
