import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { maxBatchBytes } from '../../shared/domain/protocol/change-batch';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { errorMessage } from '../../shared/domain/errors';
import { maxPreviewBytes } from '../../shared/domain/protocol/preview';
import { maxWorkloadQuestionBytes } from '../../shared/domain/protocol/workload-question';
import type { Clock } from '../../shared/runtime/clock';
import type { ConnectionLife } from '../../shared/runtime/http/connection';
import { Connections, headLimits } from '../../shared/runtime/http/connections';
import { listenOn } from '../../shared/runtime/http/listen';
import type { Component } from '../../shared/runtime/process/lifecycle';
import type { ListenAddress } from '../../shared/runtime/http/listen-address';
import type { Logger } from '../../shared/runtime/log/logger';
import { peerCertificateEndMs, type TlsMaterialSource } from '../../shared/runtime/tls/tls-material';
import type { Random } from '../../shared/runtime/random';
import { channelAnswers, type Answer, type ChannelHandlers } from './answers';
import type { ChannelMetrics } from '../metrics/channel-metrics';
import { readBody } from './request-body';

export interface ChannelServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ChannelMetrics;
  readonly address: ListenAddress;
  /** Its owner starts and stops it. While it has no certificate, every handshake fails. */
  readonly tls: Pick<TlsMaterialSource, 'current' | 'onChange'>;
  /**
   * The DNS name in the webhook's client certificate. It is checked, because the CA has signed other certificates too.
   */
  readonly clientName: string;
  readonly handlers: ChannelHandlers;
}

const paths = Object.values(channelPaths);
const bodyLimits = { maxBytes: Math.max(maxBatchBytes, maxPreviewBytes, maxWorkloadQuestionBytes), maxMs: 5_000 };
/** A small part of the time that the process has to stop all its components. */
const drainMs = 3_000;

const serverOptions: ServerOptions = { ...headLimits, requestCert: true, rejectUnauthorized: true };
/**
 * Every replica of the webhook keeps a few connections, those of one node may share its address, and each may hold one
 * body in memory. A connection is kept longer than the webhook keeps it, so that no batch is sent on one that is just
 * being closed.
 */
const connectionLimits = { max: 128, maxPerAddress: 64, idleMs: 120_000, slowMs: 6_000 };
/** The longest time for which a certificate that was once accepted stays accepted. */
const maxAgeMs = 10 * 60_000;

/** Receives change records from the webhook over mutual TLS, and passes them to the intake. */
export class ChannelServer implements Component {
  readonly name = 'change channel';
  readonly #options: ChannelServerOptions;
  readonly #server: Server;
  /** Connections with the webhook's certificate. */
  readonly #admitted = new WeakSet<object>();
  readonly #connections: Connections;
  #stopping = false;

  constructor(options: ChannelServerOptions) {
    this.#options = options;
    const { clientName, clock, logger, tls } = options;
    this.#server = createServer(serverOptions, (request, response) => void this.#serve(request, response));
    this.#connections = new Connections(this.#server, {
      ...{ clock, logger, what: 'change channel', ...connectionLimits },
      lifeOf: (socket) => this.#lifeOf(socket),
    });
    this.#server.on('secureConnection', (socket) => {
      const certificate = socket.getPeerX509Certificate();
      const name = certificate?.checkHost(clientName, { subject: 'never', wildcards: false });
      if (socket.authorized && name !== undefined) this.#admitted.add(socket);
    });
    this.#server.on('tlsClientError', (error) => logger.debug('a TLS handshake failed', { error: error.message }));
    tls.onChange(() => this.#useCertificates());
    this.#useCertificates();
  }

  /** The port in use: the system chooses one if the address has port 0. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const { address, logger } = this.#options;
    const port = await listenOn(this.#server, address, '--channel-listen');
    logger.info('listening for change records', { port });
  }

  /** Answers the requests that have arrived, then closes. Requests that still arrive after some seconds are cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const force = this.#options.clock.timer(drainMs, () => this.#connections.destroy());
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    force.cancel();
  }

  /** Connections end at different times, so that they do not all reconnect at once. */
  #lifeOf(socket: TLSSocket): ConnectionLife {
    return {
      maxAgeMs: maxAgeMs * (0.5 + this.#options.random.float() / 2),
      untilMs: peerCertificateEndMs(socket),
    };
  }

  /**
   * Ends all connections, because they may have been accepted under a CA that is no longer trusted. If certificate and
   * key do not match, the previous pair stays in use.
   */
  #useCertificates(): void {
    const { logger, tls } = this.#options;
    const material = tls.current();
    if (!material) return;
    try {
      // With an empty bundle, Node would trust the system's CAs.
      if (material.ca.trim() === '') throw new Error('the bundle of CAs is empty');
      const { cert, key, ca } = material;
      // Sets everything each time: an omitted option falls back to Node's default.
      this.#server.setSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' });
      this.#connections.retire();
      logger.info('the certificate of the change channel is in use');
    } catch (thrown) {
      logger.error('the new certificate of the change channel is unusable; the previous one stays in use', {
        error: errorMessage(thrown),
      });
    }
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { logger, metrics } = this.#options;
    // A client that resets its connection must not crash the process.
    response.on('error', () => undefined);
    let answer: Answer | undefined;
    try {
      answer = await this.#answer(request);
    } catch (thrown) {
      logger.error('cannot answer the webhook', { error: errorMessage(thrown) });
      answer = { status: 500, body: { error: 'internal error' } };
    }
    if (!answer) return;
    const { status, headers, body } = answer;
    metrics.requestsTotal.inc({ code: status });
    // Otherwise the unread rest of a body would be taken for the next request.
    const close = this.#stopping || !request.complete;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...headers,
      ...(close && { connection: 'close' }),
    });
    response.end(JSON.stringify(body));
  }

  /** Undefined if the client is gone. */
  async #answer(request: IncomingMessage): Promise<Answer | undefined> {
    if (!this.#admitted.has(request.socket)) {
      return refusal(403, `the client certificate is not that of ${this.#options.clientName}`);
    }
    const path = paths.find((served) => served === request.url);
    if (!path) return refusal(404, `only ${paths.join(' and ')} are served`);
    if (request.method !== 'POST') return { ...refusal(405, 'only POST is served'), headers: { allow: 'POST' } };
    if (!isJson(request.headers['content-type'])) return refusal(400, 'the content type is not application/json');
    const body = await readBody(request, this.#options.clock, bodyLimits);
    switch (body) {
      case 'too-large':
        return refusal(413, `a body may have ${bodyLimits.maxBytes} bytes`);
      case 'too-slow':
        return refusal(408, `a body must arrive within ${bodyLimits.maxMs} ms`);
      case 'aborted':
        return undefined;
      default:
        return await channelAnswers[path](body, this.#options.handlers);
    }
  }
}

function refusal(status: Answer['status'], error: string): Answer {
  return { status, body: { error } };
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
