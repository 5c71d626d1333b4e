import { ConnectionError } from '../../shared/kube/errors';
import type { HttpRequest, HttpResponse } from '../../shared/kube/transport';
import { type Clock, sleep } from '../../shared/runtime/clock';
import { ByteStream, readAll, wholeBody } from './byte-stream';
import { StatusError } from './status';

/** A request as a rule sees it. */
export interface FaultTarget {
  readonly user: string;
  readonly method: HttpRequest['method'];
  /** Path without the query. */
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
}

/**
 * What can go wrong between client and server. A reset `after` loses the answer once the write is stored. Stream faults
 * strike from event number `atEvent` on, counted from 0.
 */
export type Fault =
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /** The stream breaks after some of its events. */
  | { readonly kind: 'reset-stream'; readonly atEvent: number }
  /** Bytes stop but nothing closes: no answer at all, or a stream that stops at event `atEvent`. */
  | { readonly kind: 'half-open'; readonly atEvent?: number }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Watch events arrive late, in order. */
  | { readonly kind: 'lag'; readonly lagMs: number | (() => number) }
  /** The server rejects the request with a Status. Without `message`, it has the server's usual text. */
  | { readonly kind: 'status'; readonly code: number; readonly retryAfterSeconds?: number; readonly message?: string }
  /** An ERROR event in the stream. A server sends 410 after a compaction. */
  | { readonly kind: 'error-event'; readonly code: number; readonly atEvent: number }
  | { readonly kind: 'truncate'; readonly atEvent: number }
  | { readonly kind: 'malform'; readonly atEvent: number }
  | { readonly kind: 'duplicate' };

export interface FaultRule {
  readonly match: (target: FaultTarget) => boolean;
  /** How many requests the rule hits; all, if left out. */
  readonly times?: number;
  readonly fault: Fault;
}

type Handler = (request: HttpRequest) => Promise<HttpResponse>;

interface ArmedRule extends FaultRule {
  left: number;
}

/** Fault rules between clients and the server. The first rule that matches a request applies to it. */
export class Faults {
  readonly #clock: Clock;
  readonly #rules = new Set<ArmedRule>();

  constructor(clock: Clock, rules: readonly FaultRule[] = []) {
    this.#clock = clock;
    for (const rule of rules) this.add(rule);
  }

  /** Adds a rule after the existing ones. Returns a function that removes it. */
  add(rule: FaultRule): () => void {
    const armed = { ...rule, left: rule.times ?? Infinity };
    this.#rules.add(armed);
    return () => this.#rules.delete(armed);
  }

  /** Removes all rules. Streams that already have a fault keep it. */
  clear(): void {
    this.#rules.clear();
  }

  /** Returns `handle` with the faults applied. */
  wrap(user: string, handle: Handler): Handler {
    return async (request) => {
      const fault = this.#strike(targetOf(user, request));
      return fault === undefined ? await handle(request) : await this.#carryOut(fault, request, handle);
    };
  }

  #strike(target: FaultTarget): Fault | undefined {
    for (const rule of this.#rules) {
      if (!rule.match(target)) continue;
      rule.left -= 1;
      if (rule.left <= 0) this.#rules.delete(rule);
      return rule.fault;
    }
    return undefined;
  }

  async #carryOut(fault: Fault, request: HttpRequest, handle: Handler): Promise<HttpResponse> {
    switch (fault.kind) {
      case 'reset':
        if (fault.when === 'after') discard(await handle(request));
        throw new ConnectionError('read ECONNRESET');
      case 'status':
        return refusal(fault.code, fault.retryAfterSeconds, fault.message);
      case 'delay':
        await sleep(this.#clock, fault.delayMs);
        return await handle(request);
      case 'half-open':
        if (fault.atEvent === undefined) return await new Promise<never>(() => undefined);
        return await this.#spoil(fault, await handle(request));
      case 'reset-stream':
      case 'lag':
      case 'error-event':
      case 'truncate':
      case 'malform':
      case 'duplicate':
        return await this.#spoil(fault, await handle(request));
    }
  }

  async #spoil(fault: StreamFault, response: HttpResponse): Promise<HttpResponse> {
    if (response.status !== 200) return response;
    if (fault.kind === 'lag') return { ...response, body: this.#lag(response.body, fault.lagMs) };
    const isProtobuf = response.headers['content-type']?.includes('protobuf') === true;
    return { ...response, body: spoiltBody(fault, response.body, isProtobuf) };
  }

  #lag(body: AsyncIterable<Buffer>, lagMs: number | (() => number)): AsyncIterable<Buffer> {
    const source = body[Symbol.asyncIterator]();
    const stream = new ByteStream(() => void source.return?.().then(undefined, () => undefined));
    let lastDueMs = 0;
    /** Keeps the order: no event is due before the previous one. */
    const later = (run: () => void): void => {
      const nowMs = this.#clock.monotonicMs();
      lastDueMs = Math.max(lastDueMs, nowMs + (typeof lagMs === 'number' ? lagMs : lagMs()));
      this.#clock.timer(lastDueMs - nowMs, run);
    };
    const pump = async (): Promise<void> => {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        const chunk = next.value;
        later(() => stream.push(chunk));
      }
      later(() => stream.end());
    };
    pump().catch((error: unknown) => stream.fail(error instanceof Error ? error : new ConnectionError(String(error))));
    return stream;
  }
}

type StreamFault = Exclude<Fault, { readonly kind: 'reset' | 'status' | 'delay' }>;

/** Relies on each chunk of a watch being one event. */
async function* spoiltBody(
  fault: Exclude<StreamFault, { readonly kind: 'lag' }>,
  body: AsyncIterable<Buffer>,
  isProtobuf: boolean,
): AsyncGenerator<Buffer> {
  let index = 0;
  for await (const chunk of body) {
    if (fault.kind === 'duplicate') {
      yield chunk;
      yield chunk;
      continue;
    }
    if (index++ < (fault.atEvent ?? 0)) {
      yield chunk;
      continue;
    }
    switch (fault.kind) {
      case 'half-open':
        await new Promise<never>(() => undefined);
        break;
      case 'reset-stream':
        throw new ConnectionError('read ECONNRESET');
      case 'truncate':
        yield chunk.subarray(0, Math.floor(chunk.length / 2));
        return;
      case 'malform':
        yield isProtobuf ? malformedFrame(chunk) : Buffer.from(chunk.toString('utf8').slice(1));
        return;
      case 'error-event':
        yield errorLine(fault.code);
        return;
    }
  }
}

/** Keeps the frame's length prefix and makes its content invalid. */
function malformedFrame(frame: Buffer): Buffer {
  return Buffer.concat([frame.subarray(0, 4), Buffer.alloc(frame.length - 4, 0xff)]);
}

function errorLine(code: number): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: statusOf(code).toStatus() })}\n`);
}

const refusals: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden: not allowed'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: [
    'Conflict',
    'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  ],
  410: ['Expired', 'too old resource version: 1 (2)'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: etcdserver: request timed out'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

function statusOf(code: number, retryAfterSeconds?: number, said?: string): StatusError {
  const [reason, message] = refusals[code] ?? ['', `status ${code}`];
  return new StatusError(
    code,
    reason,
    said ?? message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

function refusal(code: number, retryAfterSeconds?: number, message?: string): HttpResponse {
  const body = Buffer.from(JSON.stringify(statusOf(code, retryAfterSeconds, message).toStatus()));
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status: code, headers: { 'content-type': 'application/json', ...retryAfter }, body: wholeBody(body) };
}

/** Drains a body of known length, or closes a stream, because nobody will read it. */
function discard({ headers, body }: HttpResponse): void {
  if (headers['content-length'] !== undefined) void readAll(body).then(undefined, () => undefined);
  else
    void body[Symbol.asyncIterator]()
      .return?.()
      .then(undefined, () => undefined);
}

function targetOf(user: string, { method, path }: HttpRequest): FaultTarget {
  const { pathname, searchParams: query } = new URL(path, 'https://kubernetes.default.svc');
  return { user, method, pathname, query, isWatch: ['true', '1'].includes(query.get('watch') ?? '') };
}
