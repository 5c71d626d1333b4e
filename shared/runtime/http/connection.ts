import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** When a connection must end, whatever its phase. */
export interface ConnectionLife {
  /** Counted from the end of the handshake. */
  readonly maxAgeMs?: number;
  /** Wall-clock time at which the peer's certificate expires. */
  readonly untilMs?: number;
}

/**
 * The phase of a connection.
 *
 *     handshake ─▶ unused ─▶ head ─▶ request ─▶ kept ─▶ head ─▶ …
 */
export type Phase = 'handshake' | 'unused' | 'head' | 'request' | 'kept';

/** One connection of a server, and its phase. */
export class Connection {
  /** The remote address. It is kept here, because the socket loses it when it closes. */
  readonly address: string;
  /** {@link addressesOf} its socket. */
  readonly addresses: string;
  readonly #socket: Socket;
  #stream: Socket | undefined;
  #phase: Phase = 'handshake';
  /** When the phase began, by the monotonic clock. */
  #sinceMs: number;
  /** Number of bytes that had been read when the connection was last idle. */
  #readBytes = 0;
  #served = false;
  readonly #answers = new Set<ServerResponse>();
  #retiring = false;
  #ageEndsMs = Infinity;
  #lifeEndsMs = Infinity;

  constructor(socket: Socket, address: string, nowMs: number) {
    this.#socket = socket;
    this.address = address;
    this.addresses = addressesOf(socket);
    this.#sinceMs = nowMs;
  }

  /** The stream that carries HTTP; undefined during a TLS handshake. */
  get stream(): Socket | undefined {
    return this.#stream;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Whether the connection has ever carried a request. Until then, anybody may have opened it. */
  get served(): boolean {
    return this.#served;
  }

  /** Call it when the handshake is over. */
  open(stream: Socket, nowMs: number, { maxAgeMs = Infinity, untilMs = Infinity }: ConnectionLife): void {
    this.#stream = stream;
    this.#ageEndsMs = nowMs + maxAgeMs;
    this.#lifeEndsMs = untilMs;
    this.#rest('unused', nowMs);
  }

  begin(answer: ServerResponse, nowMs: number): void {
    this.#answers.add(answer);
    this.#served = true;
    if (this.#phase === 'request') return;
    this.#phase = 'request';
    this.#sinceMs = nowMs;
  }

  finish(answer: ServerResponse, nowMs: number): void {
    this.#answers.delete(answer);
    if (this.#answers.size > 0) return;
    this.#rest('kept', nowMs);
    if (this.#retiring) this.#stream?.destroySoon();
  }

  /** Checks whether the next head has begun to arrive. At `lastLookMs` it had not. */
  look(lastLookMs: number): void {
    if (this.#phase !== 'unused' && this.#phase !== 'kept') return;
    if ((this.#stream?.bytesRead ?? 0) <= this.#readBytes) return;
    this.#phase = 'head';
    this.#sinceMs = Math.max(this.#sinceMs, lastLookMs);
  }

  /** Whether the connection's lifetime is over. */
  isOver(nowMs: number, wallMs: number): boolean {
    return nowMs >= this.#ageEndsMs || wallMs >= this.#lifeEndsMs;
  }

  /** Ends the connection after its current answer, or at once if there is none. */
  retire(): void {
    if (this.#retiring) return;
    this.#retiring = true;
    if (this.#phase !== 'request') {
      this.destroy();
      return;
    }
    // The header tells the client not to send its next request on a connection that is about to close.
    for (const answer of this.#answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
  }

  /** Ends the connection, whatever its phase. */
  destroy(): void {
    this.#stream?.destroy();
    this.#socket.destroy();
  }

  #rest(phase: 'unused' | 'kept', nowMs: number): void {
    this.#phase = phase;
    this.#sinceMs = nowMs;
    this.#readBytes = this.#stream?.bytesRead ?? 0;
  }
}

/** Both ends of a connection. Its TLS stream has them too, and nothing else tells to which socket it belongs. */
export function addressesOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress ?? ''} ${remoteAddress ?? ''} ${remotePort ?? ''}`;
}
