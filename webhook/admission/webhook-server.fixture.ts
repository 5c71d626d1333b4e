import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { AdmissionPlugin } from './admission-plugins';
import { bytes, handlerWorld, review } from './review.fixture';
import { FakeTlsSource, certificates, material, testServerName } from './tls.fixture';
import { WebhookServer } from './webhook-server';

export const reviewBody = bytes(review());

/** The token that the webhook of these tests accepts. */
export const testToken = 'a0'.repeat(32);

/** A call of a hook by an API server, such as `/mutate?timeout=2s`. */
export function post(hook: string, body: Buffer | string = reviewBody, headers: Record<string, string> = {}): string {
  return postTo(hook.replace(/^\/[a-z]+/, `$&/${testToken}`), body, headers);
}

/** A call by anybody. */
export function postTo(path: string, body: Buffer | string = reviewBody, headers: Record<string, string> = {}): string {
  const all = { host: 'reroll-webhook.reroll.svc', 'content-type': 'application/json', ...headers };
  const length = { 'content-length': String(Buffer.byteLength(body)), ...all };
  return `POST ${path} HTTP/1.1\r\n${headerLines(length)}\r\n${body.toString()}`;
}

export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A kept-alive connection as an API server has it: it ignores `Keep-Alive: timeout=`, and never repeats a call. */
export class RawConnection {
  readonly socket: TLSSocket;
  #received = '';
  #wake: () => void = () => undefined;
  ended = false;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString();
      this.#wake();
    });
    const end = (): void => {
      this.ended = true;
      this.#wake();
    };
    socket.on('error', end);
    socket.on('close', end);
    socket.on('end', end);
  }

  static async open(port: number, options: object = {}): Promise<RawConnection> {
    const ca = [certificates.old.cert, certificates.new.cert];
    const socket = connect({ port, host: '127.0.0.1', servername: testServerName, ca, ...options });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  /** The common name of the server's certificate. */
  get serverCertificate(): string {
    return String(this.socket.getPeerCertificate().subject.CN);
  }

  async call(request: string): Promise<RawAnswer> {
    this.socket.write(request);
    return await this.answer();
  }

  /** Rejects if the connection ends before the answer. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take();
      if (answer) return answer;
      if (this.ended) throw new Error('the connection ended without an answer');
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async closed(): Promise<void> {
    if (!this.socket.destroyed) await once(this.socket, 'close');
  }

  #take(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = this.#received.slice(0, headEnd);
    const bodyStart = headEnd + 4;
    const end = bodyStart + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return undefined;
    const body = this.#received.slice(bodyStart, end);
    this.#received = this.#received.slice(end);
    return { status: Number(head.split(' ')[1]), head, body };
  }
}

/** An authenticator whose tokens the test chooses. */
export class FakeCallers {
  tokens: readonly string[] = [testToken];

  isKnown(token: string): boolean {
    return this.tokens.includes(token);
  }

  get problem(): string | undefined {
    return this.tokens.length === 0 ? 'there is no token yet' : undefined;
  }
}

/** CAs that the test can replace. */
export class FakeCaSource {
  readonly #listeners: (() => void)[] = [];
  #current: string | undefined;

  constructor(current?: string) {
    this.#current = current;
  }

  current(): string | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  change(to: string): void {
    this.#current = to;
    for (const listener of this.#listeners) listener();
  }
}

/** A server on a real socket, whose clock the test controls. */
export async function serverWorld(
  tls = new FakeTlsSource(material(certificates.old)),
  plugins: readonly AdmissionPlugin[] = [],
  clientCa?: FakeCaSource,
) {
  const world = handlerWorld(undefined, plugins);
  const { clock, logger, metrics, handler } = world;
  const callers = new FakeCallers();
  const server = new WebhookServer({ clock, logger, metrics, handler, tls, callers, clientCa });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const connections: RawConnection[] = [];
  const open = async (options?: object): Promise<RawConnection> => {
    const connection = await RawConnection.open(port, options);
    connections.push(connection);
    return connection;
  };
  /** Ends the server, whatever state the test left it in. */
  const close = async (): Promise<void> => {
    for (const { socket } of connections) socket.destroy();
    if (server.status.state === 'stopped') return;
    const stopped = server.stop();
    await clock.advance(20_000);
    await stopped;
  };
  return { ...world, tls, callers, server, port, open, close };
}
