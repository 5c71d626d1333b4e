import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorMessage } from '../../shared/domain/errors';
import {
  parseInspectionQuestion,
  type InspectionQuestion,
  type InspectionRefusal,
} from '../../shared/domain/protocol/inspection-question';
import type { InspectionProblem } from '../../shared/domain/protocol/inspection-problem';
import type { Clock } from '../../shared/runtime/clock';
import { Connections, headLimits } from '../../shared/runtime/http/connections';
import { listenOn } from '../../shared/runtime/http/listen';
import { formatListenAddress, type ListenAddress } from '../../shared/runtime/http/listen-address';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Component } from '../../shared/runtime/process/lifecycle';
import { acceptsGzip, type AnswerBody } from './answer-body';
import { jsonBody } from './json-body';
import { whyRefused } from './request-guard';

/** What the server says: the body of an answer, or a problem and its status. */
export type InspectionAnswer =
  { readonly body: AnswerBody } | { readonly status: number; readonly problem: Omit<InspectionProblem, 'v'> };

export interface InspectionServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A loopback address: the options accept no other. */
  readonly address: ListenAddress;
  readonly answer: (question: InspectionQuestion, acceptsGzip: boolean) => InspectionAnswer;
}

/** All come from one pod, mostly from one person. An answer takes no time, so the oldest connection may give way. */
const connectionLimits = { max: 16, maxPerAddress: 16, idleMs: 5_000, slowMs: 0 };

const statuses: Readonly<Record<InspectionRefusal['code'], number>> = { 'no-such-path': 404, 'bad-request': 400 };

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Answers questions about workloads and sources on a loopback address. Whoever may forward a port to the pod may ask,
 * and nobody else reaches it. The process works as well without it.
 */
export class InspectionServer implements Component {
  readonly name = 'inspection';
  readonly #options: InspectionServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;

  constructor(options: InspectionServerOptions) {
    this.#options = options;
    const { clock, logger } = options;
    this.#server = createServer(headLimits, (request, response) => this.#serve(request, response));
    // Node answers all questions that arrive in one packet at once, and 64 KiB hold more than a thousand of them.
    this.#server.maxRequestsPerSocket = 1;
    this.#connections = new Connections(this.#server, { clock, logger, what: 'inspection port', ...connectionLimits });
  }

  /** Never rejects: another process may use the port, and restarts come first. */
  async start(): Promise<void> {
    const { address, logger } = this.#options;
    try {
      const port = await listenOn(this.#server, address, '--inspection-listen');
      logger.info('answering questions about workloads and sources', {
        address: formatListenAddress({ ...address, port }),
      });
    } catch (error) {
      logger.warn('cannot answer questions about workloads and sources; everything else continues', {
        error: errorMessage(error),
      });
    }
  }

  /** Works also if the server does not listen. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#connections.destroy();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    // A client that resets its connection must not crash the process.
    response.on('error', () => undefined);
    const answer = this.#answer(request);
    const isAnswered = 'body' in answer;
    const { bytes, encoding }: AnswerBody = isAnswered ? answer.body : { bytes: jsonBody({ v: 1, ...answer.problem }) };
    response.writeHead(isAnswered ? 200 : answer.status, {
      ...headers,
      'content-length': bytes.length,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      ...(!isAnswered && answer.status === 405 && { allow: 'GET, HEAD' }),
      connection: 'close',
    });
    // Node sends no body in answer to HEAD.
    response.end(bytes);
  }

  /** Never throws. */
  #answer(request: IncomingMessage): InspectionAnswer {
    const refused = whyRefused(request.headers);
    if (refused !== undefined) return { status: 403, problem: { code: 'forbidden', message: refused } };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, problem: { code: 'method-not-allowed', message: 'only GET and HEAD are served' } };
    }
    const question = parseInspectionQuestion(request.url ?? '');
    if ('code' in question) return { status: statuses[question.code], problem: question };
    try {
      return this.#options.answer(question, acceptsGzip(request.headers['accept-encoding']));
    } catch (thrown) {
      this.#options.logger.error('cannot answer a question', { error: errorMessage(thrown), about: question.about });
      return { status: 500, problem: { code: 'internal', message: 'internal error: see the log of this pod' } };
    }
  }
}
