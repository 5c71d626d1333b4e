import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** When a connection has to end, whatever it is used for. */
export interface ConnectionLife {
  /** From now on. */
  readonly maxAgeMs?: number;
  /** By the wall clock: what a certificate says of its own end. */
  readonly untilMs?: number;
}

/**
 * What a connection is at.
 *
 *     handshake ─▶ unused ─▶ head ─▶ request ─▶ kept ─▶ head ─▶ …
 */
export type Phase = 'handshake' | 'unused' | 'head' | 'request' | 'kept';

/** One connection of a server, and what it is at. */
export class Connection {
  /** As the system told it; it is gone with the socket. */
  readonly address: string;
  readonly #socket: Socket;
  /** Where HTTP is spoken; undefined during a TLS handshake. */
  #stream: Socket | undefined;
  #phase: Phase = 'handshake';
  /** Since when it is in its phase. */
  #sinceMs: number;
  /** What had been read of it when it was last at rest. */
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

  /** Whether it has ever brought a request: until then it may be anybody's. */
  get served(): boolean {
    return this.#served;
  }

  /** Its handshake is over. */
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

  /** Looks whether the next head has begun to arrive; it had not at `lastLookMs`. */
  look(lastLookMs: number): void {
    if (this.#phase !== 'unused' && this.#phase !== 'kept') return;
    if ((this.#stream?.bytesRead ?? 0) <= this.#readBytes) return;
    this.#phase = 'head';
    this.#sinceMs = Math.max(this.#sinceMs, lastLookMs);
  }

  /** Whether the life that it was given is over. */
  isOver(nowMs: number, wallMs: number): boolean {
    return nowMs >= this.#ageEndsMs || wallMs >= this.#lifeEndsMs;
  }

  /** Ends it after what it is answering. */
  retire(): void {
    if (this.#retiring) return;
    this.#retiring = true;
    if (this.#phase !== 'request') {
      this.destroy();
      return;
    }
    // A client that is told does not send its next request into a connection that is about to close.
    for (const answer of this.#answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
  }

  /** Ends it, whatever it is at. */
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
