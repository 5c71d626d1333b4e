import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { errorMessage } from '../../shared/domain/errors';
import { sleep } from '../../shared/runtime/clock';
import { Connections, headLimits } from '../../shared/runtime/http/connections';
import { listenOn } from '../../shared/runtime/http/listen';
import type { ListenAddress } from '../../shared/runtime/http/listen-address';
import { peerCertificateEndMs } from '../../shared/runtime/tls/peer-certificate';
import { ReviewEndpoint } from './review-endpoint';
import type { ReviewHandler } from './review-handler';
import { ServedCertificate, type ServedCertificateOptions } from './served-certificate';
import type { Callers } from './webhook-tokens';

export interface WebhookServerOptions extends ServedCertificateOptions {
  readonly handler: Pick<ReviewHandler, 'begin'>;
  readonly callers: Callers;
}

/** `closing` asks each caller to leave after its answer. */
type State = 'stopped' | 'listening' | 'draining' | 'closing';

export interface WebhookServerStatus {
  readonly state: State;
  /** Why no API server can trust what is served; undefined while it may. */
  readonly certificateProblem: string | undefined;
  /** Why no call is accepted; undefined while calls with a token are. */
  readonly callerProblem: string | undefined;
}

/** Until every API server has seen that this endpoint is gone. */
const keepServingMs = 5_000;
/** Until every kept connection has had a call to be closed after. */
const askToCloseMs = 5_000;

const connectionLimits = {
  /** A pool of an API server is some tens of connections. */
  max: 512,
  /**
   * All API servers may come from the address of one proxy, so that it must do for all the calls which are read at once;
   * and whoever fills it from another address has the other half left to fill.
   */
  maxPerAddress: 256,
  /**
   * Longer than the 90 s after which an API server closes an idle connection: it does not repeat a call that met our close
   * half way. It may open a connection that it has no call for yet, and keeps that as long as any other.
   */
  idleMs: 120_000,
  /** A review is answered within half a second: its caller does not read. */
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
    // Kept connections go on with the certificate they began with, and not with a caller who may no longer be trusted.
    clientCa?.onChange(() => this.#connections.retire());
    this.#serve(new ReviewEndpoint({ ...options, isClosing: () => this.#state === 'closing' }));
  }

  /** Whether calls are answered, and new ones welcome. */
  get status(): WebhookServerStatus {
    return {
      state: this.#state,
      certificateProblem: this.#certificate.problem,
      callerProblem: this.#options.callers.problem,
    };
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
   * server has seen the close; so they are first given time to go elsewhere, then asked to close by themselves. What is
   * still under way after that has the time that any request has.
   */
  async stop(): Promise<void> {
    const { clock, logger } = this.#options;
    this.#state = 'draining';
    // Who has pressed Ctrl-C should not take it for a process that hangs.
    logger.info('calls are still answered for a moment, so that none fails', { forMs: keepServingMs + askToCloseMs });
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
    // Node would ask anybody for a body, or answer in words of its own.
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (endpoint.isWelcome(request)) response.writeContinue();
      this.#server.emit('request', request, response);
    });
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#server.emit('request', request, response);
    });
  }
}
