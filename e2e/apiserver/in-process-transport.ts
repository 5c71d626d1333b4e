import { ConnectionError } from '../../shared/kube/errors';
import type { HttpRequest, HttpResponse, Transport } from '../../shared/kube/transport';
import type { ApiServer } from './api-server';
import type { Faults } from './faults';

/** Connects the product to a simulated server without sockets. The server authenticates its requests as `user`. */
export function inProcessTransport(server: ApiServer, user: string, faults?: Faults): Transport {
  const handle = async (request: HttpRequest): Promise<HttpResponse> => await server.handle(request, user);
  const send = faults === undefined ? handle : faults.wrap(user, handle);
  return {
    send: async (request) =>
      await (request.signal === undefined ? send(request) : abortable(request, request.signal, send)),
  };
}

/** Obeys the abort signal as a socket does: immediately, whatever the other side is doing. */
async function abortable(
  request: HttpRequest,
  signal: AbortSignal,
  send: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return await new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal));
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    send(request)
      .then((response) => {
        const body = new AbortableBody(response.body, signal);
        if (signal.aborted) body.abort();
        resolve({ ...response, body });
      }, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** A body that ends with an error as soon as the signal is aborted, even before anyone reads it. */
class AbortableBody implements AsyncIterable<Buffer>, AsyncIterator<Buffer> {
  readonly #source: AsyncIterator<Buffer>;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.abort();
  /** Not `Promise.race` with one long-lived promise: that would retain a reaction for every chunk ever read. */
  #rejectPending: ((error: Error) => void) | undefined;

  constructor(body: AsyncIterable<Buffer>, signal: AbortSignal) {
    this.#source = body[Symbol.asyncIterator]();
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    if (this.#signal.aborted) throw abortError(this.#signal);
    const result = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      this.#rejectPending = reject;
      this.#source.next().then(resolve, reject);
    });
    if (result.done === true) this.#signal.removeEventListener('abort', this.#onAbort);
    return result;
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#closeSource();
    return await Promise.resolve({ done: true, value: undefined });
  }

  abort(): void {
    this.#closeSource();
    this.#rejectPending?.(abortError(this.#signal));
  }

  /** Not awaited: a reader that leaves must not wait for a writer that may never return. */
  #closeSource(): void {
    void this.#source.return?.().then(undefined, () => undefined);
  }
}

function abortError(signal: AbortSignal): ConnectionError {
  return new ConnectionError('the request was aborted', signal.reason);
}
