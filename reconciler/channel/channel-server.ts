import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { maxBatchBytes } from '../../shared/domain/change-batch';
import { channelPaths } from '../../shared/domain/channel-names';
import { errorMessage } from '../../shared/domain/errors';
import { maxPreviewBytes } from '../../shared/domain/preview';
import { maxWorkloadQuestionBytes } from '../../shared/domain/workload-question';
import type { Clock } from '../../shared/runtime/clock';
import { listenOn } from '../../shared/runtime/listen';
import type { Component } from '../../shared/runtime/lifecycle';
import type { ListenAddress } from '../../shared/runtime/listen-address';
import type { Logger } from '../../shared/runtime/logger';
import { OpenSockets } from '../../shared/runtime/open-sockets';
import type { TlsMaterialSource } from '../../shared/runtime/tls-material';
import { answerBatch, type Answer, type RecordInbox } from './batch-answer';
import type { ChannelMetrics } from './channel-metrics';
import { answerLint, type Linter } from './lint-answer';
import { answerMarks, type MarkGiver } from './marks-answer';
import { answerPreview, type Foreseer } from './preview-answer';
import { readBody } from './request-body';

type Inbox = RecordInbox & Foreseer & MarkGiver & Linter;

export interface ChannelServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ChannelMetrics;
  readonly address: ListenAddress;
  /** Started and stopped by its owner; while it has nothing, every handshake fails. */
  readonly tls: Pick<TlsMaterialSource, 'current' | 'onChange'>;
  /** The DNS name in the webhook's client certificate: the CA has signed others, too. */
  readonly clientName: string;
  readonly inbox: Inbox;
}

/** What is answered, by path. */
const answers: Readonly<Record<string, (body: Buffer, inbox: Inbox) => Promise<Answer> | Answer>> = {
  [channelPaths.changes]: answerBatch,
  [channelPaths.preview]: answerPreview,
  [channelPaths.marks]: answerMarks,
  [channelPaths.lint]: answerLint,
};

const bodyLimits = { maxBytes: Math.max(maxBatchBytes, maxPreviewBytes, maxWorkloadQuestionBytes), maxMs: 5_000 };
/** A small part of what the process has for all its parts. */
const drainMs = 3_000;

const serverOptions: ServerOptions = {
  requestCert: true,
  rejectUnauthorized: true,
  handshakeTimeout: 5_000,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the webhook keeps a connection, so that no batch meets one that is just being closed.
  keepAliveTimeout: 120_000,
  maxHeaderSize: 8 * 1024,
};
/** Every replica of the webhook keeps a few; each may hold one body in memory. */
const maxConnections = 128;

/** Receives change records from the webhook over mutual TLS, and hands them to the inbox. */
export class ChannelServer implements Component {
  readonly name = 'change channel';
  readonly #options: ChannelServerOptions;
  readonly #server: Server;
  /** Connections whose certificate is the webhook's. */
  readonly #admitted = new WeakSet<object>();
  readonly #sockets: OpenSockets;
  #stopping = false;

  constructor(options: ChannelServerOptions) {
    this.#options = options;
    const { clientName, logger, tls } = options;
    this.#server = createServer(serverOptions, (request, response) => void this.#serve(request, response));
    this.#server.maxConnections = maxConnections;
    this.#sockets = new OpenSockets(this.#server);
    this.#server.on('secureConnection', (socket) => {
      const certificate = socket.getPeerX509Certificate();
      const name = certificate?.checkHost(clientName, { subject: 'never', wildcards: false });
      if (socket.authorized && name !== undefined) this.#admitted.add(socket);
    });
    this.#server.on('tlsClientError', (error) => logger.debug('a TLS handshake failed', { error: error.message }));
    tls.onChange(() => this.#useCertificates());
    this.#useCertificates();
  }

  /** In use: the system chooses if the address asks for port 0. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @throws ListenError */
  async start(): Promise<void> {
    const { address, logger } = this.#options;
    const port = await listenOn(this.#server, address, '--channel-listen');
    logger.info('listening for change records', { port });
  }

  /** Answers what has arrived, then closes; what is still arriving after some seconds is cut off. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const force = this.#options.clock.timer(drainMs, () => this.#sockets.destroy());
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    force.cancel();
  }

  /** Connections go on with what they began with; a pair that does not fit leaves the former in use. */
  #useCertificates(): void {
    const { logger, tls } = this.#options;
    const material = tls.current();
    if (!material) return;
    try {
      // An empty bundle would be taken for the CAs that the system trusts.
      if (material.ca.trim() === '') throw new Error('the bundle of CAs is empty');
      const { cert, key, ca } = material;
      // All of it each time: what is left out falls back to Node's defaults.
      this.#server.setSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' });
      logger.info('the certificate of the change channel is in use');
    } catch (thrown) {
      logger.error('the new certificate of the change channel is unusable; the former stays in use', {
        error: errorMessage(thrown),
      });
    }
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { logger, metrics } = this.#options;
    // A client that resets its connection is no crash.
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
    // A body that was not read to its end would be taken for the next request.
    const close = this.#stopping || !request.complete;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...headers,
      ...(close && { connection: 'close' }),
    });
    response.end(JSON.stringify(body));
  }

  /** Undefined when nobody waits for an answer any more. */
  async #answer(request: IncomingMessage): Promise<Answer | undefined> {
    if (!this.#admitted.has(request.socket)) {
      return refusal(403, `the client certificate is not that of ${this.#options.clientName}`);
    }
    const answer = Object.hasOwn(answers, request.url ?? '') ? answers[request.url ?? ''] : undefined;
    if (!answer) return refusal(404, `only ${Object.keys(answers).join(' and ')} are served`);
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
        return await answer(body, this.#options.inbox);
    }
  }
}

function refusal(status: Answer['status'], error: string): Answer {
  return { status, body: { error } };
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
