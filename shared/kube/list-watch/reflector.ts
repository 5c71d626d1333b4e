import { errorMessage } from '../../domain/errors';
import { isOlderVersion } from '../../domain/kubernetes/resource-version';
import { isAborted, sleep } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import type { Decoder } from '../wire/decoder';
import { Delivery } from './delivery';
import {
  ForbiddenError,
  GoneError,
  InvalidError,
  KubeError,
  ProtocolError,
  ThrottledError,
  errorFromStatus,
} from '../errors';
import type { ReconnectReason } from '../observers';
import { newestVersion } from '../client/objects';
import { pagedList } from './paged-list';
import { isSlow, mayResume, reconnectDelayMs, reconnectReason } from './reconnect-policy';
import type { ReflectorDeps, ReflectorOptions, ReflectorStatus } from './reflector-options';
import { Relist } from './relist';
import { requestTarget } from '../request-target';
import { resourceName, resourcePath } from '../resource';
import type { WatchEvent } from '../wire/watch-event';
import { watchStream, type WatchEnd } from './watch-stream';

export type { ReflectorSink } from './delivery';
export type { ReflectorDeps, ReflectorOptions, ReflectorStatus } from './reflector-options';

const defaultPageSize = 500;

/** Backoff starts anew after a watch that lasted so long; a mere connect proves nothing. */
const healthyMs = 10_000;

/** Jittered, so that watches opened together do not end together. */
const watchSeconds = { min: 300, spread: 300 };

/** How an attempt ended: by itself, or with an error. */
type Outcome = { readonly reason: ReconnectReason; readonly error?: KubeError } | 'use-paged-list';

function outcomeOf(end: WatchEnd): Outcome {
  if (end === 'no-initial-events-end') return 'use-paged-list';
  return { reason: end === 'listed' ? 'ended' : end };
}

/**
 * Keeps a sink up to date with one resource of the API server, for as long as it runs: lists, watches, and comes back
 * whatever happens.
 *
 *     list ──────────────▶ watch ── ended, deadline, reset ──▶ (back off) ──▶ watch from the last version
 *      ▲ paged, or as the    │
 *      │ first part of the   └── 410, ERROR event, bytes that do not parse ──▶ back off ──▶ list
 *      └ watch itself
 *
 * A watch that is refused, where listing is not, is a list at each attempt. Where the decoder can do with metadata, a list is of
 * that, a stream of its own, and what a watch shows is whole.
 *
 * Versions are opaque, and only handed back, but for one question: whether the server has been restored from a backup.
 */
export class Reflector<T> {
  readonly #deps: ReflectorDeps;
  readonly #options: ReflectorOptions<T>;
  readonly #logger: Logger;
  readonly #path: string;
  readonly #query: Readonly<Record<string, string | undefined>>;
  /** The current run; its signal is also its generation: what continues after an await asks it first. */
  #run: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

  /** Undefined: a list is due. */
  #resourceVersion: string | undefined;
  /** Until the server has shown that it does not know `sendInitialEvents`. */
  #watchListSupported = true;
  /** What lists are read by. */
  #lister: Decoder<T>;
  #watchingSinceMs: number | undefined;
  /** A watch has broken off since the list, and none that came after it has proved that the server knows its version. */
  #versionInDoubt = false;
  #slowErrorReported = false;

  #state: ReflectorStatus['state'] = 'starting';
  #synced = false;
  #begun = false;
  #lastActivityMs: number;
  #lastError: KubeError | undefined;

  constructor(deps: ReflectorDeps, options: ReflectorOptions<T>) {
    this.#deps = deps;
    this.#options = options;
    this.#logger = deps.logger.child({ resource: resourceName(options.resource), namespace: options.namespace });
    this.#path = resourcePath(options.resource, options.namespace);
    this.#query = { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
    this.#lister = options.decoder;
    this.#lastActivityMs = deps.clock.monotonicMs();
  }

  get status(): ReflectorStatus {
    return {
      synced: this.#synced,
      begun: this.#begun,
      lastActivityMonotonicMs: this.#lastActivityMs,
      state: this.#state,
      ...(this.#lastError && { lastError: this.#lastError }),
    };
  }

  /** Starts, or does nothing if it runs. After a stop it starts from a new list; `whole`: its lists show whole objects. */
  start(whole = false): void {
    if (this.#run) return;
    const controller = new AbortController();
    const { decoder } = this.#options;
    this.#lister = whole ? decoder : (decoder.metadata ?? decoder);
    this.#resourceVersion = undefined;
    this.#synced = false;
    this.#begun = false;
    // Of another run: it says nothing of this one.
    this.#lastError = undefined;
    this.#state = 'starting';
    this.#lastActivityMs = this.#deps.clock.monotonicMs();
    this.#run = { controller, done: this.#loop(controller.signal) };
  }

  /** Ends the run; no callback is made once this is called. May be called at any time, any number of times. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    run.controller.abort();
    this.#state = 'stopped';
    await run.done;
    if (this.#run === run) this.#run = undefined;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, random, observer } = this.#deps;
    let attempt = 0;
    let wasSlow = false;
    while (!signal.aborted) {
      this.#watchingSinceMs = undefined;
      const outcome = await this.#attempt(signal);
      if (isAborted(signal)) return;
      if (outcome === 'use-paged-list') {
        this.#watchListSupported = false;
        this.#logger.info('the server does not stream lists, using paged lists');
        continue;
      }
      const { reason, error } = outcome;
      if (reason !== 'idle') this.#versionInDoubt = true;
      observer?.reconnected(reason);
      const healthy = this.#wasHealthy();
      const slow = error !== undefined && isSlow(error);
      if (healthy || slow !== wasSlow) attempt = 0;
      wasSlow = slow;
      if (healthy && !error) continue;
      const delayMs = reconnectDelayMs(error, attempt++, random);
      this.#report(outcome.error, delayMs);
      this.#state = 'backing-off';
      await sleep(clock, delayMs, signal);
    }
  }

  /** Lists, where that is due, and watches until something happens. Never rejects. */
  async #attempt(signal: AbortSignal): Promise<Outcome> {
    const watchList = this.#expectsWatchList();
    const listFirst = this.#resourceVersion === undefined && !watchList;
    try {
      if (listFirst) await this.#list(signal);
      if (watchList && this.#lister !== this.#options.decoder) {
        const end = await this.#stream(signal, this.#lister, true);
        if (end !== 'listed' || isAborted(signal)) return outcomeOf(end);
      }
      const end = await this.#stream(signal, this.#options.decoder);
      if (end === 'idle' && (await this.#isAheadOfServer(signal))) return { reason: 'expired' };
      return outcomeOf(end);
    } catch (thrown) {
      const error =
        thrown instanceof KubeError ? thrown : new ProtocolError(`unexpected: ${errorMessage(thrown)}`, thrown);
      if (isAborted(signal)) return { reason: 'ended' };
      if (error.status !== undefined) this.#active(signal);
      const isListRefused = this.#expectsWatchList() && this.#watchingSinceMs === undefined;
      if (isListRefused && error instanceof InvalidError) return 'use-paged-list';
      if (error instanceof ProtocolError) this.#deps.observer?.decodeFailed('stream');
      if (!mayResume(error)) this.#resourceVersion = undefined;
      this.#lastError = error;
      if (error instanceof ForbiddenError && !listFirst) await this.#listInstead(signal);
      return { reason: reconnectReason(error), error };
    }
  }

  /**
   * A server whose etcd was restored from a backup has yet to reach the version that a watch goes on from, and is silent until
   * then. It has been started anew for that, so the first silence after the end of a watch is worth a question, and no other:
   * a quiet resource is silent for ever.
   */
  async #isAheadOfServer(signal: AbortSignal): Promise<boolean> {
    const { client } = this.#deps;
    const { resource, namespace } = this.#options;
    const version = this.#resourceVersion;
    if (!this.#versionInDoubt || version === undefined) return false;
    const newest = await newestVersion(client, resource, namespace, { signal });
    this.#versionInDoubt = false;
    if (!isOlderVersion(newest, version)) return false;
    this.#logger.warn('the server is behind what it has told, as after a restore of etcd: listing anew', {
      version,
      newest,
    });
    this.#resourceVersion = undefined;
    return true;
  }

  /** The right to watch may be missing where that to list is not: then each attempt lists. Never rejects. */
  async #listInstead(signal: AbortSignal): Promise<void> {
    try {
      await this.#list(signal);
    } catch (thrown) {
      if (isAborted(signal)) return;
      // Told once, as the refusal of the watch is: who grants rights must know of both.
      const fields = { error: errorMessage(thrown) };
      if (this.#slowErrorReported) this.#logger.debug('cannot list in place of a watch that was refused', fields);
      else this.#logger.warn('cannot list in place of a watch that was refused', fields);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const startMs = clock.monotonicMs();
    this.#state = 'listing';
    const relist = this.#newRelist(signal);
    const resourceVersion = await pagedList({
      client,
      clock,
      path: this.#path,
      query: this.#query,
      pageSize: this.#options.pageSize ?? defaultPageSize,
      decoder: this.#lister,
      relist,
      signal,
      onActivity: () => this.#active(signal),
    });
    this.#complete(relist, resourceVersion, startMs, signal);
  }

  async #stream(signal: AbortSignal, decoder: Decoder<T>, listOnly = false): Promise<WatchEnd> {
    const { client, clock, random } = this.#deps;
    const startMs = clock.monotonicMs();
    // Absent once the initial events are complete, or where there are none to come.
    let relist = this.#expectsWatchList() ? this.#newRelist(signal) : undefined;
    if (relist) this.#state = 'listing';
    const delivery = this.#newDelivery(signal);
    return await watchStream({
      client,
      clock,
      path: this.#path,
      query: this.#query,
      decoder,
      listOnly,
      resourceVersion: this.#resourceVersion,
      timeoutSeconds: Math.floor(watchSeconds.min + random.float() * watchSeconds.spread),
      signal,
      onOpen: () => {
        if (isAborted(signal)) return;
        this.#active(signal);
        if (!relist) this.#watching();
      },
      onActivity: () => this.#active(signal),
      onEvent: (event) => {
        if (isAborted(signal)) return;
        if (!relist) this.#apply(event, delivery);
        else if (this.#applyInitial(event, relist, startMs, signal)) {
          relist = undefined;
          if (!listOnly) this.#watching();
        }
      },
    });
  }

  /**
   * Takes an event of a watch-list's first part; true when it was the last. The versions of these events are those of
   * the objects, in no order: only the bookmark at the end may be watched from.
   */
  #applyInitial(event: WatchEvent<T>, relist: Relist<T>, startMs: number, signal: AbortSignal): boolean {
    switch (event.type) {
      case 'upsert':
        relist.upsert(event.decoded);
        return false;
      case 'remove':
        relist.remove(event.key, event.uid, event.resourceVersion);
        return false;
      case 'malformed':
        relist.malformed(event.error);
        return false;
      case 'bookmark':
        if (!event.initialEventsEnd) return false;
        this.#complete(relist, event.resourceVersion, startMs, signal);
        return true;
      case 'error':
        throw this.#errorOf(event);
      case 'unknown':
        this.#unknown(event.name);
        return false;
    }
  }

  #apply(event: WatchEvent<T>, delivery: Delivery<T>): void {
    switch (event.type) {
      case 'upsert':
        delivery.upsert(event.decoded, 'watch');
        this.#advance(event.decoded.resourceVersion);
        break;
      case 'remove':
        delivery.remove(event.key, event.uid, event.resourceVersion);
        this.#advance(event.resourceVersion);
        break;
      case 'malformed':
        delivery.malformed(event.error);
        this.#advance(event.error.resourceVersion);
        break;
      case 'bookmark':
        this.#advance(event.resourceVersion);
        break;
      case 'error':
        throw this.#errorOf(event);
      case 'unknown':
        this.#unknown(event.name);
        break;
    }
  }

  /**
   * What an ERROR event means: 410 where the version was compacted away. Others may come again from the same version
   * for ever, so all but throttling ask for a new list.
   */
  #errorOf({ status }: Extract<WatchEvent<T>, { type: 'error' }>): KubeError {
    const error = errorFromStatus(status?.code ?? 500, status, requestTarget('GET', this.#path, true));
    if (!(error instanceof ThrottledError)) this.#resourceVersion = undefined;
    return error;
  }

  #unknown(name: string): void {
    this.#deps.observer?.decodeFailed('unknown-event');
    this.#logger.warn('watch event of unknown type ignored', { type: name });
  }

  #advance(resourceVersion: string | undefined): void {
    if (resourceVersion !== undefined && resourceVersion !== '') this.#resourceVersion = resourceVersion;
  }

  #complete(relist: Relist<T>, resourceVersion: string, startMs: number, signal: AbortSignal): void {
    if (isAborted(signal)) return;
    if (resourceVersion === '') throw new ProtocolError('the list has no resourceVersion to watch from');
    this.#resourceVersion = resourceVersion;
    this.#versionInDoubt = false;
    this.#synced = true;
    relist.complete();
    this.#deps.observer?.listed({
      objects: relist.objects,
      durationMs: this.#deps.clock.monotonicMs() - startMs,
    });
  }

  #watching(): void {
    this.#watchingSinceMs = this.#deps.clock.monotonicMs();
    this.#state = 'watching';
    this.#begun = true;
    this.#lastError = undefined;
    this.#slowErrorReported = false;
  }

  #wasHealthy(): boolean {
    return this.#watchingSinceMs !== undefined && this.#deps.clock.monotonicMs() - this.#watchingSinceMs >= healthyMs;
  }

  #active(signal: AbortSignal): void {
    if (isAborted(signal)) return;
    this.#lastActivityMs = this.#deps.clock.monotonicMs();
  }

  #report(error: KubeError | undefined, delayMs: number): void {
    const fields = { error: error?.message, code: error?.code, delayMs: Math.round(delayMs) };
    if (!error || error instanceof GoneError) this.#logger.info('watch ended, starting anew', fields);
    else if (!isSlow(error)) this.#logger.warn('watch failed, trying again', fields);
    else if (!this.#slowErrorReported) {
      this.#slowErrorReported = true;
      const meanwhile = this.#synced ? 'listing instead' : 'trying again';
      this.#logger.warn(`watch refused, ${meanwhile} until it is not`, fields);
    }
  }

  #expectsWatchList(): boolean {
    return this.#resourceVersion === undefined && this.#watchListSupported;
  }

  #newDelivery(signal: AbortSignal): Delivery<T> {
    return new Delivery(this.#options.sink, signal, this.#logger, this.#deps.observer);
  }

  #newRelist(signal: AbortSignal): Relist<T> {
    return new Relist(this.#newDelivery(signal));
  }
}
