import { ConnectionError } from '../errors';
import type { HttpRequest, HttpResponse, Transport } from '../transport';

/** The answer of a scripted server. An object as body is sent as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: FakeBody | Buffer | string | object;
}

/** A transport whose answers a test scripts. */
export class FakeTransport implements Transport {
  readonly requests: HttpRequest[] = [];
  readonly #handler: (request: HttpRequest, index: number) => Reply | Promise<Reply>;

  constructor(handler: (request: HttpRequest, index: number) => Reply | Promise<Reply>) {
    this.#handler = handler;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const index = this.requests.push(request) - 1;
    const { signal } = request;
    const {
      status = 200,
      headers = {},
      body = '',
    } = await unlessAborted(
      Promise.resolve().then(() => this.#handler(request, index)),
      signal,
    );
    const stream = body instanceof FakeBody ? body : FakeBody.of(toBuffer(body));
    signal?.addEventListener('abort', () => stream.reset('aborted'));
    return { status, headers: { 'content-type': 'application/json', ...headers }, body: stream };
  }
}

/** A body that the test pushes, ends, resets or leaves open. */
export class FakeBody implements AsyncIterable<Buffer> {
  /** Whether the reader has left or reached the end. */
  closed = false;
  readonly #chunks: Buffer[] = [];
  #end: 'open' | 'ended' | Error = 'open';
  #wake: () => void = () => undefined;

  static of(...chunks: Buffer[]): FakeBody {
    const body = new FakeBody();
    for (const chunk of chunks) body.push(chunk);
    body.end();
    return body;
  }

  push(chunk: Buffer | string): void {
    this.#chunks.push(Buffer.from(chunk));
    this.#wake();
  }

  /** One line of a JSON watch. */
  line(event: object): void {
    this.push(`${JSON.stringify(event)}\n`);
  }

  end(): void {
    if (this.#end === 'open') this.#end = 'ended';
    this.#wake();
  }

  reset(message = 'read ECONNRESET'): void {
    if (this.#end === 'open') this.#end = new ConnectionError(message);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) yield chunk;
        else if (this.#end === 'ended') return;
        else if (this.#end !== 'open') throw this.#end;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.closed = true;
    }
  }
}

/** An answer that never arrives: the peer is unreachable. */
export async function noAnswer(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

/** An error with the API server's wording. */
export function refusal(code: number, reason: string, message = reason, headers: Record<string, string> = {}): Reply {
  return {
    status: code,
    headers,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
  };
}

function toBuffer(body: Buffer | string | object): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const aborted = (): void => reject(new ConnectionError('aborted'));
    if (signal?.aborted === true) aborted();
    signal?.addEventListener('abort', aborted);
    work.then(resolve, reject);
  });
}
