import { errorMessage } from '../../domain/errors';
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
import { LastSyncVersion } from './last-sync-version';
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

/** After so many refusals of a streamed list, the next attempt uses a paged list. */
const maxStreamRefusals = 3;

/** Backoff is reset after a watch that lasted this long; a successful connect alone is no proof of health. */
const healthyMs = 10_000;

/** Duration to request for a watch. It is jittered, so that watches opened together do not end together. */
const watchSeconds = { min: 300, spread: 300 };

/** How an attempt ended: by itself, or with an error. */
type Outcome = { readonly reason: ReconnectReason; readonly error?: KubeError } | 'use-paged-list';

function outcomeOf(end: WatchEnd): Outcome {
  if (end === 'no-initial-events-end') return 'use-paged-list';
  return { reason: end === 'listed' ? 'ended' : end };
}

/**
 * Keeps a sink up to date with one resource of the API server while it runs: it lists, watches, and recovers from every
 * failure.
 *
 *     list ──────────────▶ watch ── ended, deadline, reset ──▶ (back off) ──▶ watch from the last version
 *      ▲ paged, or as the    │
 *      │ first part of the   └── 410, ERROR event, bytes that do not parse ──▶ back off ──▶ list
 *      └ watch itself
 *
 * If watching is refused but listing is not, each attempt is a list. If only streamed lists are refused, lists are paged.
 * If the decoder accepts metadata, lists request only metadata, in a separate stream, and watches request whole objects.
 */
export class Reflector<T> {
  readonly #deps: ReflectorDeps;
  readonly #options: ReflectorOptions<T>;
  readonly #logger: Logger;
  readonly #path: string;
  readonly #query: Readonly<Record<string, string | undefined>>;
  /** The current run. Its signal identifies it: code that continues after an await checks it first. */
  #run: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

  readonly #lastSync = new LastSyncVersion();
  /** True until the server turns out not to support `sendInitialEvents`. */
  #watchListSupported = true;
  /** Refusals of streamed lists since the last attempt with a paged list, or the last complete list. */
  #streamRefusals = 0;
  /** Decoder for lists. */
  #lister: Decoder<T>;
  #watchingSinceMs: number | undefined;
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

  /**
   * Starts the reflector; does nothing if it is running. After a stop, it begins with a new list. With `whole`, lists
   * contain whole objects even if the decoder accepts metadata.
   */
  start(whole = false): void {
    if (this.#run) return;
    const controller = new AbortController();
    const { decoder } = this.#options;
    this.#lister = whole ? decoder : (decoder.metadata ?? decoder);
    this.#lastSync.forget();
    this.#streamRefusals = 0;
    this.#synced = false;
    this.#begun = false;
    // The error belongs to the previous run.
    this.#lastError = undefined;
    this.#state = 'starting';
    this.#lastActivityMs = this.#deps.clock.monotonicMs();
    this.#run = { controller, done: this.#loop(controller.signal) };
  }

  /** Ends the run; no callback is made after this call. May be called at any time, repeatedly. */
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
      if (reason !== 'idle') this.#lastSync.doubt();
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

  /** Lists if necessary, and watches until the watch ends. Never rejects. */
  async #attempt(signal: AbortSignal): Promise<Outcome> {
    const watchList = this.#expectsWatchList();
    const listFirst = this.#lastSync.current === undefined && !watchList;
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
      if (listFirst) this.#streamRefusals = 0;
      else if (isListRefused) this.#countRefusal(error);
      if (error instanceof ProtocolError) this.#deps.observer?.decodeFailed('stream');
      if (!mayResume(error)) this.#lastSync.forget();
      this.#lastError = error;
      if (error instanceof ForbiddenError && !listFirst) await this.#listInstead(signal);
      return { reason: reconnectReason(error), error };
    }
  }

  /**
   * A server, or a proxy in front of it, may refuse to stream lists with any error, and answer other lists. But an
   * overloaded server refuses both for a while. So one attempt uses a paged list, and then streams are tried again: they
   * cost the server less memory. A missing permission or API concerns both, and no answer concerns neither.
   */
  #countRefusal(error: KubeError): void {
    if (error.status === undefined || isSlow(error)) return;
    this.#streamRefusals += 1;
    if (this.#streamRefusals < maxStreamRefusals) return;
    this.#logger.info('the server keeps refusing to stream a list, trying a paged list', { error: error.message });
  }

  async #isAheadOfServer(signal: AbortSignal): Promise<boolean> {
    const { client } = this.#deps;
    const { resource, namespace, fieldSelector } = this.#options;
    const newest = async (): Promise<string> =>
      await newestVersion(client, resource, namespace, { signal, fieldSelector });
    const restored = await this.#lastSync.compareWithServer(newest);
    if (!restored) return false;
    this.#logger.warn('the server is behind versions that it has sent, as after a restore of etcd: listing again', {
      ...restored,
    });
    return true;
  }

  /** If listing is allowed but watching is not, each attempt is a list. Never rejects. */
  async #listInstead(signal: AbortSignal): Promise<void> {
    try {
      await this.#list(signal);
    } catch (thrown) {
      if (isAborted(signal)) return;
      // Warn once, as for the refused watch: whoever grants permissions must know about both.
      const fields = { error: errorMessage(thrown) };
      if (this.#slowErrorReported) this.#logger.debug('cannot list instead of the refused watch', fields);
      else this.#logger.warn('cannot list instead of the refused watch', fields);
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
    // Undefined once the initial events are complete, or if none are expected.
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
      resourceVersion: this.#lastSync.current,
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
   * Processes one of the initial events of a watch-list; returns true for the last one. These events have the versions
   * of their objects, in no order: a watch may resume only from the bookmark at the end.
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
        this.#lastSync.advance(event.decoded.resourceVersion);
        break;
      case 'remove':
        delivery.remove(event.key, event.uid, event.resourceVersion);
        this.#lastSync.advance(event.resourceVersion);
        break;
      case 'malformed':
        delivery.malformed(event.error);
        this.#lastSync.advance(event.error.resourceVersion);
        break;
      case 'bookmark':
        this.#lastSync.advance(event.resourceVersion);
        break;
      case 'error':
        throw this.#errorOf(event);
      case 'unknown':
        this.#unknown(event.name);
        break;
    }
  }

  /**
   * The error in an ERROR event: 410 if the version was compacted. Other errors may repeat forever from the same
   * version, so all but throttling require a new list.
   */
  #errorOf({ status }: Extract<WatchEvent<T>, { type: 'error' }>): KubeError {
    const error = errorFromStatus(status?.code ?? 500, status, requestTarget('GET', this.#path, true));
    if (!(error instanceof ThrottledError)) this.#lastSync.forget();
    return error;
  }

  #unknown(name: string): void {
    this.#deps.observer?.decodeFailed('unknown-event');
    this.#logger.warn('watch event of unknown type ignored', { type: name });
  }

  #complete(relist: Relist<T>, resourceVersion: string, startMs: number, signal: AbortSignal): void {
    if (isAborted(signal)) return;
    this.#lastSync.listed(resourceVersion);
    this.#streamRefusals = 0;
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
    if (!error || error instanceof GoneError) this.#logger.info('watch ended, starting again', fields);
    else if (!isSlow(error)) this.#logger.warn('watch failed, trying again', fields);
    else if (!this.#slowErrorReported) {
      this.#slowErrorReported = true;
      const meanwhile = this.#synced ? 'listing instead' : 'trying again';
      this.#logger.warn(`watch refused, ${meanwhile} until it is allowed`, fields);
    }
  }

  #expectsWatchList(): boolean {
    if (this.#lastSync.current !== undefined || !this.#watchListSupported) return false;
    return this.#streamRefusals < maxStreamRefusals;
  }

  #newDelivery(signal: AbortSignal): Delivery<T> {
    return new Delivery(this.#options.sink, signal, this.#logger, this.#deps.observer);
  }

  #newRelist(signal: AbortSignal): Relist<T> {
    return new Relist(this.#newDelivery(signal));
  }
}
