import { readAll } from '../byte-stream';
import type { JsonObject } from '../json';
import type { Transport } from '../../../shared/kube/transport';

/** A server that the contract is run against. */
export interface ContractServer {
  /** Authenticated as a user with every right. */
  readonly transport: Transport;
  /** Authenticated as a user with only the rights that every user has. */
  readonly withoutRights: Transport;
  /** Lets time pass, on the fake clock or in real time. */
  elapse(ms: number): Promise<void>;
  /** Makes the server drop the history from which watches could resume. */
  forgetHistory(): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The parsed JSON, or an empty object if the answer is not JSON. */
  readonly body: JsonObject;
  /** The raw `Warning` header, empty if absent: `299 - "…"`, several separated by commas. */
  readonly warnings: string;
  /** The `Date` header, empty if absent. */
  readonly date: string;
}

export interface CallOptions {
  readonly accept?: string;
  readonly contentType?: string;
  readonly userAgent?: string;
}

export const strategic = 'application/strategic-merge-patch+json';
export const merge = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';

/** Plain HTTP over the product's Transport: the contract covers the wire protocol, not a client. */
export class ContractClient {
  readonly #transport: Transport;
  readonly #open = new Set<AbortController>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get(path: string, options: CallOptions = {}): Promise<Answer> {
    return await this.#call('GET', path, undefined, options);
  }

  async post(path: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return await this.#call('POST', path, body, options);
  }

  async put(path: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return await this.#call('PUT', path, body, options);
  }

  async patch(path: string, contentType: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return await this.#call('PATCH', path, body, { ...options, contentType });
  }

  async delete(path: string, body?: object): Promise<Answer> {
    return await this.#call('DELETE', path, body, {});
  }

  /** Opens a watch. {@link closeWatches} closes it. */
  async watch(path: string, accept = 'application/json'): Promise<WatchReader> {
    const controller = new AbortController();
    this.#open.add(controller);
    const { signal } = controller;
    const response = await this.#transport.send({ method: 'GET', path, headers: { accept }, signal, pool: 'watch' });
    return new WatchReader(response.status, response.headers['content-type'] ?? '', response.body);
  }

  closeWatches(): void {
    for (const controller of this.#open) controller.abort();
    this.#open.clear();
  }

  async #call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    { accept = 'application/json', contentType = 'application/json', userAgent = 'contract/1.0' }: CallOptions,
  ): Promise<Answer> {
    const response = await this.#transport.send({
      method,
      path,
      headers: {
        accept,
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      pool: 'request',
    });
    const bytes = await readAll(response.body);
    const type = response.headers['content-type'] ?? '';
    const parsed = type.startsWith('application/json') ? (JSON.parse(bytes.toString('utf8')) as JsonObject) : {};
    return {
      ...{ status: response.status, contentType: type, bytes, body: parsed },
      warnings: response.headers['warning'] ?? '',
      date: response.headers['date'] ?? '',
    };
  }
}

export type WatchEvent = { readonly type: string; readonly object: JsonObject };

/** Reads a watch stream event by event, in JSON or protobuf. */
export class WatchReader {
  readonly status: number;
  readonly contentType: string;
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(status: number, contentType: string, body: AsyncIterable<Buffer>) {
    this.status = status;
    this.contentType = contentType;
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<WatchEvent | undefined> {
    const line = await this.#take((bytes) => {
      const end = bytes.indexOf(0x0a);
      return end < 0 ? undefined : end + 1;
    });
    return line === undefined ? undefined : (JSON.parse(line.toString('utf8')) as WatchEvent);
  }

  /** The next protobuf frame, without its length prefix; undefined at the end of the stream. */
  async nextFrame(): Promise<Buffer | undefined> {
    const frame = await this.#take((bytes) => {
      if (bytes.length < 4) return undefined;
      const length = 4 + bytes.readUInt32BE();
      return bytes.length < length ? undefined : length;
    });
    return frame?.subarray(4);
  }

  /** The events up to and including the first for which `isLast` holds, or up to the end of the stream. */
  async until(isLast: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      events.push(event);
      if (isLast(event)) break;
    }
    return events;
  }

  async #take(lengthOfFirst: (bytes: Buffer) => number | undefined): Promise<Buffer | undefined> {
    for (;;) {
      const length = lengthOfFirst(this.#buffered);
      if (length !== undefined) {
        const taken = this.#buffered.subarray(0, length);
        this.#buffered = this.#buffered.subarray(length);
        return taken;
      }
      const chunk = await this.#chunks.next();
      if (chunk.done === true) return undefined;
      this.#buffered = Buffer.concat([this.#buffered, chunk.value]);
    }
  }
}
