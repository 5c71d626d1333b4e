import type { Readable } from 'node:stream';
import { ConnectionError } from '../errors';

type Next = IteratorResult<Buffer, undefined>;

/** Limit of queued bytes; beyond it the connection is paused. */
const maxQueuedBytes = 256 * 1024;

/**
 * The body of an answer, chunk by chunk. Leaving the loop early closes the connection.
 *
 * It replaces the stream's own iterator, which uses several promises and events per chunk: the first lists of a large
 * cluster would wait for them a hundred thousand times.
 */
export class IncomingBody implements AsyncIterable<Buffer>, AsyncIterator<Buffer, undefined> {
  readonly #incoming: Readable;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** How the body ended. The reader learns it after it has read the queued chunks. */
  #end: Error | 'complete' | undefined;
  #waiting: { resolve(next: Next): void; reject(error: Error): void } | undefined;

  /** @param toError the error that the reader receives for an error of the connection. */
  constructor(incoming: Readable, toError: (thrown: unknown) => Error) {
    this.#incoming = incoming;
    incoming.on('data', (chunk: Buffer) => this.#take(chunk));
    incoming.once('end', () => this.#finish('complete'));
    incoming.on('error', (thrown) => this.#finish(toError(thrown)));
    incoming.once('close', () => {
      if (!this.#end) this.#finish(new ConnectionError('the connection was closed within the answer'));
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Next> {
    const chunk = this.#queue.shift();
    if (chunk) {
      this.#queuedBytes -= chunk.length;
      if (this.#queue.length === 0 && this.#incoming.isPaused()) this.#incoming.resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end === 'complete') return Promise.resolve({ done: true, value: undefined });
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  return(): Promise<Next> {
    this.#queue = [];
    this.#incoming.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(chunk: Buffer): void {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes > maxQueuedBytes) this.#incoming.pause();
  }

  #finish(end: Error | 'complete'): void {
    this.#end ??= end;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    if (end === 'complete') waiting.resolve({ done: true, value: undefined });
    else waiting.reject(end);
  }
}
