import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import { errorMessage } from '../../domain/errors';
import type { Credentials } from '../access/credentials';
import { Deadline } from './deadline';
import { ConnectionError, KubeError, ProtocolError, TimeoutError, UnauthorizedError, errorFromStatus } from '../errors';
import type { ClientObserver } from '../observers';
import type { RequestTarget } from '../request-target';
import { describeTarget, requestTarget } from '../request-target';
import { readBody } from './response-body';
import { parseRetryAfter } from './retry-after';
import type { ServerClock } from './server-clock';
import { parseStatusBody } from '../wire/status-body';
import type { HttpRequest, HttpResponse, Transport } from '../transport';

export interface KubeClientOptions {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Identifies Reroll in the server's audit log and flow schemas. */
  readonly userAgent: string;
  readonly observer?: ClientObserver;
  /** Learns the API server's time from the answers. */
  readonly serverClock?: Pick<ServerClock, 'observe'>;
}

export interface KubeRequest {
  readonly method: HttpRequest['method'];
  /** Without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Content type of the body; default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** Asks for another protocol on the connection, for {@link KubeClient.open}: headers besides `Upgrade`. */
  readonly upgrade?: { readonly to: string; readonly headers: Readonly<Record<string, string>> };
  /**
   * Time limit until the whole answer has arrived; for {@link KubeClient.open}, until its headers have. Default 30 s.
   */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The connection pool; default `request`. */
  readonly pool?: HttpRequest['pool'];
}

const defaultTimeoutMs = 30_000;

/** etcd stores objects of up to 1.5 MB. A larger body is a mistake, or a list that should have been streamed. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Requests to one API server, with credentials, time limits and typed errors. */
export class KubeClient {
  readonly #options: KubeClientOptions;

  constructor(options: KubeClientOptions) {
    this.#options = options;
  }

  /** Sends a request and reads its JSON answer. @throws KubeError of the matching subclass. */
  async request(request: KubeRequest): Promise<unknown> {
    return await this.#whole(request, (body) => parseJson(body, request));
  }

  /**
   * Sends a request and reads its answer as text, for paths such as `/readyz`.
   * @throws KubeError of the matching subclass.
   */
  async text(request: KubeRequest): Promise<string> {
    return await this.#whole({ accept: '*/*', ...request }, (body) => body.toString('utf8'));
  }

  /**
   * Opens a stream: resolves with the response headers if the status is below 300. The caller reads the body, without a
   * time limit. `request.signal` ends the stream. The signal must belong to this stream alone, because the listener on
   * it is not removed after success.
   * @throws KubeError of the matching subclass.
   */
  async open(request: KubeRequest): Promise<HttpResponse> {
    return await this.#withCredentials(request, async () => {
      const deadline = new Deadline(this.#options.clock, request.signal);
      try {
        const response = await this.#exchange(request, deadline);
        deadline.clear();
        return response;
      } catch (thrown) {
        deadline.dispose();
        throw this.#asKubeError(thrown, request, deadline);
      }
    });
  }

  async #whole<T>(request: KubeRequest, read: (body: Buffer) => T): Promise<T> {
    return await this.#withCredentials(request, async () => {
      const deadline = new Deadline(this.#options.clock, request.signal);
      try {
        const response = await this.#exchange(request, deadline);
        return read(await readBody(response.body, maxBodyBytes));
      } catch (thrown) {
        throw this.#asKubeError(thrown, request, deadline);
      } finally {
        deadline.dispose();
      }
    });
  }

  /** Retries once with refreshed credentials after a 401, because tokens expire and rotate. Throws a second 401. */
  async #withCredentials<R>(request: KubeRequest, attempt: () => Promise<R>): Promise<R> {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof UnauthorizedError)) throw thrown;
      this.#options.logger.info('credentials refused, refreshing them', { path: request.path });
      await this.#refreshCredentials(request);
      return await attempt();
    }
  }

  async #refreshCredentials(request: KubeRequest): Promise<void> {
    const deadline = new Deadline(this.#options.clock, request.signal);
    deadline.set(request.timeoutMs ?? defaultTimeoutMs);
    try {
      await deadline.race(this.#options.credentials.refresh());
    } catch (thrown) {
      throw this.#asKubeError(thrown, request, deadline);
    } finally {
      deadline.dispose();
    }
  }

  async #exchange(request: KubeRequest, deadline: Deadline): Promise<HttpResponse> {
    const { clock, credentials, transport, userAgent, observer, serverClock } = this.#options;
    const target = targetOf(request);
    const startMs = clock.monotonicMs();
    const finished = (code: string): void =>
      observer?.requestFinished({
        method: request.method,
        resource: target.resource,
        code,
        durationMs: clock.monotonicMs() - startMs,
      });
    deadline.set(request.timeoutMs ?? defaultTimeoutMs);
    let response: HttpResponse;
    try {
      const authorization = await deadline.race(credentials.headers());
      response = await transport.send({
        method: request.method,
        path: request.path + queryString(request.query),
        headers: {
          accept: request.accept ?? 'application/json',
          'user-agent': userAgent,
          ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
          ...(request.upgrade && { ...request.upgrade.headers, connection: 'Upgrade', upgrade: request.upgrade.to }),
          ...authorization,
        },
        ...(request.body === undefined ? {} : { body: Buffer.from(JSON.stringify(request.body)) }),
        signal: deadline.signal,
        pool: request.pool ?? 'request',
      });
    } catch (thrown) {
      const error = this.#asKubeError(thrown, request, deadline);
      finished(error.code);
      throw error;
    }
    finished(String(response.status));
    serverClock?.observe(response.headers['date'], startMs);
    if (response.status < 300) return response;
    const status = parseStatusBody(response.headers['content-type'], await readBody(response.body, maxBodyBytes));
    throw errorFromStatus(
      response.status,
      status,
      target,
      parseRetryAfter(response.headers['retry-after'], clock.nowMs()) ?? status?.retryAfterMs,
    );
  }

  #asKubeError(thrown: unknown, request: KubeRequest, deadline: Deadline): KubeError {
    const what = describeTarget(targetOf(request));
    if (deadline.expired)
      return new TimeoutError(`${what}: no answer within ${request.timeoutMs ?? defaultTimeoutMs} ms`);
    if (deadline.signal.aborted) return new ConnectionError(`${what}: canceled before there was an answer`, thrown);
    if (thrown instanceof KubeError) return thrown;
    return new ConnectionError(`${what}: ${errorMessage(thrown)}`, thrown);
  }
}

function targetOf(request: KubeRequest): RequestTarget {
  return requestTarget(request.method, request.path, request.query?.['watch'] === 'true');
}

function queryString(query: KubeRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function parseJson(body: Buffer, request: KubeRequest): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The parser's own message quotes the text, which may be the content of a Secret.
    throw new ProtocolError(`${describeTarget(targetOf(request))}: the answer is not JSON (${body.length} bytes)`);
  }
}
