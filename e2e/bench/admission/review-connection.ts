import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

const allowed = Buffer.from('"allowed":true');
const okStatus = 'HTTP/1.1 200 ';

/** A kept connection as the API server has it: HTTP/1.1 over TLS, one call at a time. It reads only what it must. */
export class ReviewConnection {
  readonly #socket: TLSSocket;
  #received: Buffer = Buffer.alloc(0);
  #ended: Error | undefined;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the webhook closed a connection')));
  }

  static async open(port: number, ca: string, servername: string): Promise<ReviewConnection> {
    const socket = connect({ port, host: '127.0.0.1', ca, servername });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    return new ReviewConnection(socket);
  }

  /** Resolves when the review has been allowed; rejects on any other answer, and when there will be none. */
  async call(request: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended);
        return;
      }
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const end = headEnd + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? NaN);
    if (!(this.#received.length >= end)) return;
    const isAllowed = head.startsWith(okStatus) && this.#received.subarray(headEnd, end).includes(allowed);
    this.#received = this.#received.subarray(end);
    if (!isAllowed) {
      this.#fail(new Error(`not allowed: ${head.split('\r\n')[0] ?? ''}`));
      return;
    }
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve();
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}
