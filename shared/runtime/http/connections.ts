import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer, type TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../clock';
import { addressesOf, Connection, type ConnectionLife } from './connection';
import type { Logger } from '../log/logger';
import { RateLimitedWarning } from '../log/rate-limited-warning';

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the server, for messages. */
  readonly what: string;
  readonly max: number;
  readonly maxPerAddress: number;
  /** How long an idle connection is kept. */
  readonly idleMs: number;
  /**
   * If there are too many connections, one whose request has taken this long may be closed: no legitimate call takes
   * that long.
   */
  readonly slowMs: number;
  /** The lifetime of a connection after its handshake. */
  readonly lifeOf?: (socket: TLSSocket) => ConnectionLife;
}

/**
 * Options for creating each server. Node's own time limits begin with the connection and use another clock, so they are
 * off; {@link Connections} sets the effective ones. A head from an API server, kubelet or Prometheus has less than 2
 * KiB.
 */
export const headLimits = { maxHeaderSize: 8 * 1024, headersTimeout: 0, requestTimeout: 0 } as const;
const maxHeaders = 64;

/** Time limit for a handshake, and for a head from its first byte. */
const arriveMs = 5_000;
/**
 * Time limit from the head of a request to the end of its answer: a client that does not read cannot hold a connection
 * forever.
 */
const requestMs = 10_000;
const sweepMs = 1_000;

/**
 * The connections of a server: limited in number, and each limited in time. When there are too many, the least useful
 * one is closed for the new one, so that a client that opens connections silently cannot keep others out.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /**
   * An array, though connections are looked up in it: what comes into an old Map or Set of V8 and goes again survives
   * there until the next full garbage collection, and with it sockets, requests and answers.
   */
  readonly #all: Connection[] = [];
  readonly #warning: RateLimitedWarning;
  #sweep: Timer | undefined;
  #lastLookMs: number;

  /** Takes over the limits of a server that was created with {@link headLimits}. */
  constructor(server: HttpServer | HttpsServer, options: ConnectionsOptions) {
    this.#options = options;
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
    this.#lastLookMs = options.clock.monotonicMs();
    server.maxHeadersCount = maxHeaders;
    server.keepAliveTimeout = options.idleMs;
    const isTls = server instanceof TlsServer;
    server.on('connection', (socket: Socket) => this.#accept(socket, isTls));
    if (isTls) server.on('secureConnection', (socket: TLSSocket) => this.#secured(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#begin(request, response),
    );
  }

  get size(): number {
    return this.#all.length;
  }

  /** Ends each connection after its current answer: the credentials that it was accepted with are no longer valid. */
  retire(): void {
    for (const connection of [...this.#all]) connection.retire();
  }

  /** Ends all connections, whatever their phase. */
  destroy(): void {
    for (const connection of [...this.#all]) connection.destroy();
  }

  #accept(socket: Socket, isTls: boolean): void {
    const address = socket.remoteAddress;
    if (address === undefined || !this.#makeRoom(address)) {
      socket.destroy();
      return;
    }
    const nowMs = this.#options.clock.monotonicMs();
    const connection = new Connection(socket, address, nowMs);
    this.#all.push(connection);
    socket.once('close', () => this.#forget(connection));
    if (!isTls) this.#open(connection, socket, {});
    this.#scheduleSweep();
  }

  #secured(socket: TLSSocket): void {
    const addresses = addressesOf(socket);
    const connection = this.#all.find((one) => one.phase === 'handshake' && one.addresses === addresses);
    if (!connection) {
      // The client left during the handshake, so the addresses are gone.
      socket.destroy();
      return;
    }
    this.#open(connection, socket, this.#options.lifeOf?.(socket) ?? {});
  }

  #open(connection: Connection, stream: Socket, life: ConnectionLife): void {
    const { clock } = this.#options;
    connection.open(stream, clock.monotonicMs(), life);
    if (connection.isOver(clock.monotonicMs(), clock.nowMs())) connection.retire();
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#all.find(({ stream }) => stream === socket);
    if (!connection) return;
    const { clock } = this.#options;
    connection.begin(response, clock.monotonicMs());
    response.once('close', () => connection.finish(response, clock.monotonicMs()));
  }

  /** Whether there is room for one more connection from this address. */
  #makeRoom(address: string): boolean {
    const { max, maxPerAddress } = this.#options;
    const own = this.#all.filter((connection) => connection.address === address);
    if (own.length >= maxPerAddress) return this.#giveWay(own, address);
    return this.#all.length < max || this.#giveWay(this.#all, address);
  }

  #giveWay(candidates: readonly Connection[], address: string): boolean {
    const { clock, max, maxPerAddress, slowMs, what } = this.#options;
    const leaver = firstToGiveWay(candidates, clock.monotonicMs() - slowMs);
    const consequence = leaver ? 'idle ones are closed for new ones' : 'all are busy, and a new one was refused';
    this.#warning.warn(consequence, `too many connections to the ${what}: ${consequence}; see who opens them`, {
      ...{ address, connectionsOfAddress: this.#countOf(address), max, maxPerAddress },
    });
    if (!leaver) return false;
    leaver.destroy();
    this.#forget(leaver);
    return true;
  }

  #countOf(address: string): number {
    return this.#all.filter((connection) => connection.address === address).length;
  }

  #forget(connection: Connection): void {
    const index = this.#all.indexOf(connection);
    if (index >= 0) this.#all.splice(index, 1);
    if (this.#all.length > 0) return;
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #scheduleSweep(): void {
    this.#sweep ??= this.#options.clock.timer(sweepMs, () => {
      this.#sweep = undefined;
      this.#look();
      if (this.#all.length > 0) this.#scheduleSweep();
    });
  }

  #look(): void {
    const { clock, idleMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const limitsMs = { handshake: arriveMs, head: arriveMs, request: requestMs, unused: idleMs, kept: idleMs };
    for (const connection of [...this.#all]) {
      connection.look(this.#lastLookMs);
      if (nowMs - connection.sinceMs >= limitsMs[connection.phase]) connection.destroy();
      else if (connection.isOver(nowMs, clock.nowMs())) connection.retire();
    }
    this.#lastLookMs = nowMs;
  }
}

/** The oldest of the least useful connections; undefined if each has a request that began after `slowSinceMs`. */
function firstToGiveWay(candidates: readonly Connection[], slowSinceMs: number): Connection | undefined {
  const idle = candidates.flatMap((connection) => {
    const use = useOf(connection, slowSinceMs);
    return use === 'busy' ? [] : [{ connection, use }];
  });
  idle.sort((left, right) => left.use - right.use || left.connection.sinceMs - right.connection.sinceMs);
  return idle[0]?.connection;
}

/** How useful a connection is. The one with the lowest number is closed first. */
function useOf({ phase, served, sinceMs }: Connection, slowSinceMs: number): number | 'busy' {
  // Until a connection has carried a request, anybody may have opened it.
  if (!served) return 0;
  // The connection is idle, and is kept for the next request.
  if (phase !== 'request') return 1;
  return sinceMs <= slowSinceMs ? 2 : 'busy';
}
