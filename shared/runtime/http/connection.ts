import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** When a connection must end, whatever its phase. */
export interface ConnectionLife {
  /** From now on. */
  readonly maxAgeMs?: number;
  /** By the wall clock: the expiry of a certificate. */
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
  /** As the system reported it; the socket loses it when it closes. */
  readonly address: string;
  readonly #socket: Socket;
  /** The stream that carries HTTP; undefined during a TLS handshake. */
  #stream: Socket | undefined;
  #phase: Phase = 'handshake';
  /** When its phase began. */
  #sinceMs: number;
  /** Number of bytes that had been read when it was last idle. */
  #readBytes = 0;
  #served = false;
  readonly #answers = new Set<ServerResponse>();
  #retiring = false;
  #ageEndsMs = Infinity;
  #lifeEndsMs = Infinity;

  constructor(socket: Socket, address: string, nowMs: number) {
    this.#socket = socket;
    this.address = address;
    this.#sinceMs = nowMs;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Whether it has ever carried a request: until then, anybody may have opened it. */
  get served(): boolean {
    return this.#served;
  }

  /** Called when its handshake is over. */
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

  /** Checks whether the next head has begun to arrive; it had not at `lastLookMs`. */
  look(lastLookMs: number): void {
    if (this.#phase !== 'unused' && this.#phase !== 'kept') return;
    if ((this.#stream?.bytesRead ?? 0) <= this.#readBytes) return;
    this.#phase = 'head';
    this.#sinceMs = Math.max(this.#sinceMs, lastLookMs);
  }

  /** Whether its lifetime is over. */
  isOver(nowMs: number, wallMs: number): boolean {
    return nowMs >= this.#ageEndsMs || wallMs >= this.#lifeEndsMs;
  }

  /** Ends it after the current answer. */
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

  /** Ends it, whatever its phase. */
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
