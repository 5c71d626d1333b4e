import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { headLimits } from '../../shared/runtime/http/connections';
import { listenOn } from '../../shared/runtime/http/listen';
import type { Clock } from '../../shared/runtime/clock';
import type { ObjectAnswers } from './object-answers';
import type { LiveFeed } from './live-feed';
import { pageFiles } from './page-files';
import { whyForeign, whyUnanswered } from './page-guard';
import { pageHeaders } from './page-headers';
import { LiveStreams } from './live-streams';
import { printableJson } from './printable-json';

export interface PageServerOptions {
  readonly clock: Clock;
  readonly feed: LiveFeed;
  readonly answers: Pick<ObjectAnswers, 'answer'>;
  /** 32 hex digits. */
  readonly token: string;
}

/** A browser opens six at most, and every user of the computer may connect. */
const maxConnections = 64;

/** Serves the page of `reroll ui` and its answers on 127.0.0.1. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server: Server;
  readonly #streams: LiveStreams;
  #port = 0;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#streams = new LiveStreams(options);
    const limits = { ...headLimits, headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };
    this.#server = createServer(limits, (request, response) => void this.#serve(request, response));
    this.#server.maxConnections = maxConnections;
  }

  /** Resolves with the port in use, which the system chooses for port 0. @throws ListenError */
  async listen(port: number): Promise<number> {
    this.#port = await listenOn(this.#server, { host: '127.0.0.1', port }, '--port');
    return this.#port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const reply = this.#refusal(request, path) ?? fileAt(path);
    if (reply) {
      send(response, reply);
    } else if (path === '/api/live') {
      this.#streams.serve(request, response);
    } else {
      const { status, body } = await this.#options.answers.answer(path.slice(apiPrefix.length));
      send(response, json(status, body));
    }
  }

  /** Undefined: the request is answered. */
  #refusal({ headers, method }: IncomingMessage, path: string): Reply | undefined {
    const foreign = whyForeign(headers, this.#port);
    if (foreign) return json(foreign.status, foreign);
    if (method !== 'GET' && method !== 'HEAD') {
      return json(405, { message: 'only GET and HEAD are served: this page changes nothing' });
    }
    if (pageFiles.has(path)) return undefined;
    if (!path.startsWith(`${apiPrefix}/`)) return json(404, { message: 'there is no such page' });
    const unanswered = whyUnanswered(headers, this.#options.token);
    return unanswered && json(unanswered.status, unanswered);
  }
}

const apiPrefix = '/api';

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function fileAt(path: string): Reply | undefined {
  const file = pageFiles.get(path);
  return file && { status: 200, ...file };
}

function json(status: number, body: object): Reply {
  return { status, type: 'application/json; charset=utf-8', text: printableJson(body) };
}

/** Node leaves out the body of an answer to HEAD. */
function send(response: ServerResponse, { status, type, text }: Reply): void {
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...allow });
  response.end(text);
}
