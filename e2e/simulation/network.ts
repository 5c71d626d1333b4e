import { ConnectionError } from '../../shared/kube/errors';
import type { HttpRequest, HttpResponse, Transport } from '../../shared/kube/transport';
import type { ApiServer } from '../apiserver/api-server';
import { ByteStream, readAll, wholeBody } from '../apiserver/byte-stream';
import { Faults } from '../apiserver/faults';
import type { Draw } from './draw';
import type { Darkness } from './hybrid-world';
import type { Loop } from './loop';
import type { SimulatedProcess } from './process';
import type { Sky, WeatherKind } from './weather';

/**
 * The longest delay of a message. It is shorter than the time from the end of one leader's term to the next one (5 s).
 */
export interface Latency {
  readonly maxMs: number;
}

export interface NetworkOptions {
  readonly loop: Loop;
  readonly server: ApiServer;
  readonly sky: Sky;
  readonly draw: Draw;
  readonly latency: Latency;
  /** The longest lag of watch events, by plural resource name. */
  readonly lagMs: ReadonlyMap<string, number>;
  readonly dark: Darkness | undefined;
  /** Called when a request has been carried out, before its answer is sent. */
  readonly onCarriedOut: (process: SimulatedProcess, request: HttpRequest, status: number) => void;
  readonly onStruck: (process: SimulatedProcess, request: HttpRequest, kind: WeatherKind) => void;
  /** Called when a watch sends something. The returned function is called when that arrives. */
  readonly onEvent: (process: SimulatedProcess, request: HttpRequest) => (() => void) | undefined;
}

/** A stream from the server to a process. */
interface Connection {
  readonly fail: () => void;
  readonly close: () => void;
  /** Nothing arrives any more, and neither side gets an error. */
  silent: boolean;
}

/** The network between processes and the API server. It delays and loses messages, resets streams and partitions. */
export class Network {
  readonly #options: NetworkOptions;
  readonly #cut = new Set<SimulatedProcess>();
  readonly #connections = new Map<SimulatedProcess, Set<Connection>>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** Lets nothing pass between the process and the server until {@link heal}. */
  cut(process: SimulatedProcess): void {
    this.#cut.add(process);
  }

  /** Ends a cut. A connection that lost something in the meantime is reset or stays silent forever. */
  heal(process: SimulatedProcess): void {
    this.#cut.delete(process);
    for (const connection of this.#connections.get(process) ?? []) {
      if (connection.silent && this.#options.draw.chance(0.5)) connection.fail();
    }
  }

  /** The number of streams that the process has not left. */
  openStreams(process: SimulatedProcess): number {
    return this.#connections.get(process)?.size ?? 0;
  }

  transport(process: SimulatedProcess): Transport {
    return { send: async (request) => await this.#send(process, request) };
  }

  async #send(process: SimulatedProcess, request: HttpRequest): Promise<HttpResponse> {
    return await new Promise((resolve, reject) => {
      const { signal } = request;
      const abort = (): void => reject(new ConnectionError('the request was aborted'));
      if (signal?.aborted === true) {
        abort();
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      const answer = (settle: () => void): void =>
        this.#toProcess(process, () => {
          signal?.removeEventListener('abort', abort);
          settle();
        });
      // A request that was sent arrives even if its sender has died or given up by then.
      this.#options.loop.timer(this.#latencyMs(), () => {
        if (this.#cut.has(process)) return;
        this.#carryOut(process, request).then(
          (response) => {
            if (response.headers['content-length'] === undefined && response.status === 200) {
              const body = this.#stream(process, request, response.body);
              answer(() => resolve({ ...response, body }));
              return;
            }
            void readAll(response.body).then(
              (bytes) => answer(() => resolve({ ...response, body: wholeBody(bytes) })),
              (error: unknown) => answer(() => reject(asError(error))),
            );
          },
          (error: unknown) => answer(() => reject(asError(error))),
        );
      });
    });
  }

  async #carryOut(process: SimulatedProcess, request: HttpRequest): Promise<HttpResponse> {
    const { loop, server, sky, onCarriedOut, onStruck } = this.#options;
    const handle = async (received: HttpRequest): Promise<HttpResponse> => {
      const response = await server.handle(received, process.name);
      onCarriedOut(process, received, response.status);
      return response;
    };
    const { pathname, searchParams: query } = new URL(request.path, 'https://kubernetes.default.svc');
    const { method } = request;
    const struck = sky.strike({ user: process.name, method, pathname, query, isWatch: query.get('watch') === 'true' });
    if (struck === undefined) return await handle(request);
    onStruck(process, request, struck.kind);
    return await new Faults(loop, [{ match: () => true, fault: struck.fault }]).wrap(process.name, handle)(request);
  }

  /** Lost if the process is cut off when the message would arrive. */
  #toProcess(process: SimulatedProcess, run: () => void): void {
    this.#options.loop.timer(this.#latencyMs(), () => {
      if (!this.#cut.has(process)) process.deliver(run);
    });
  }

  /** Chunks arrive in order, each delayed by the lag of its watch. */
  #stream(process: SimulatedProcess, request: HttpRequest, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    const { loop } = this.#options;
    const source = body[Symbol.asyncIterator]();
    const leave = (): void => void source.return?.().then(undefined, () => undefined);
    const connections = this.#connectionsOf(process);
    const received = new ByteStream(() => {
      connections.delete(connection);
      leave();
    });
    const fail = (): void => process.deliver(() => received.fail(new ConnectionError('read ECONNRESET')));
    const connection: Connection = { fail, close: () => received.close(), silent: false };
    connections.add(connection);
    request.signal?.addEventListener('abort', () => received.fail(new ConnectionError('the request was aborted')));
    if (request.signal?.aborted === true) received.close();

    const lagMs = this.#lagOf(request);
    const dark = isOfSources(request) ? this.#options.dark : undefined;
    const isDark = (): boolean =>
      dark !== undefined && loop.monotonicMs() >= dark.fromMs && loop.monotonicMs() < dark.toMs;
    let lastDueMs = 0;
    const later = (run: () => void): void => {
      const nowMs = loop.monotonicMs();
      const darkMs = isDark() ? (dark?.lagMs ?? 0) : 0;
      lastDueMs = Math.max(lastDueMs + 0.001, nowMs + this.#latencyMs() + lagMs() + darkMs);
      loop.timer(lastDueMs - nowMs, () => {
        // A stream never skips a gap: what follows a lost part does not arrive either.
        if (this.#cut.has(process) || (isDark() && dark?.lagMs === undefined)) connection.silent = true;
        if (!connection.silent) process.deliver(run);
      });
    };
    const pump = async (): Promise<void> => {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        const chunk = next.value;
        const arrived = this.#options.onEvent(process, request);
        later(() => {
          arrived?.();
          received.push(chunk);
        });
      }
      later(() => received.end());
    };
    pump().catch((error: unknown) => later(() => received.fail(asError(error))));
    return received;
  }

  #connectionsOf(process: SimulatedProcess): Set<Connection> {
    const known = this.#connections.get(process);
    if (known) return known;
    const connections = new Set<Connection>();
    this.#connections.set(process, connections);
    process.onDeath(() => {
      // The server learns of the death only when it sends something and is refused.
      const closing = (): void => [...connections].forEach(({ close }) => close());
      this.#options.loop.timer(this.#options.draw.int(0, 30_000), closing);
    });
    return connections;
  }

  #latencyMs(): number {
    const { draw, latency } = this.#options;
    const share = draw.random.float();
    // Mostly quick, sometimes slow.
    return 0.2 + latency.maxMs * share ** 4;
  }

  #lagOf({ path }: HttpRequest): () => number {
    const { draw, lagMs } = this.#options;
    const resource = /\/([a-z]+)(?:\?|$)/.exec(path)?.[1] ?? '';
    const maxMs = lagMs.get(resource) ?? 0;
    return () => maxMs * draw.random.float();
  }
}

function isOfSources({ path }: HttpRequest): boolean {
  return /\/(?:configmaps|secrets)(?:\?|$)/.test(path);
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new ConnectionError(String(thrown));
}
