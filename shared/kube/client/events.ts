import { errorMessage } from '../../domain/errors';
import { printable } from '../../domain/text/printable';
import { textDigest } from '../../domain/sources/content-digest';
import { sleep, type Clock } from '../../runtime/clock';
import type { LogFields, Logger } from '../../runtime/log/logger';
import type { Random } from '../../runtime/random';
import { randomHex } from '../../runtime/random';
import { RateLimitedWarning } from '../../runtime/log/rate-limited-warning';
import { RecentMap } from '../../runtime/recent-map';
import type { KubeClient } from './client';
import { createObject } from './objects';
import { events } from '../resource';

/** The reasons of all Events that Reroll writes. People and alerts depend on them. */
export type EventReason =
  | 'Reloaded'
  | 'ReloadDeferred'
  | 'ReloadFail'
  | 'ReloadUnhealthy'
  | 'RestartsStopped'
  | 'RolledBack'
  | 'RollbackFailed'
  | 'BaselineRemoved'
  | 'OverBudget';

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** `source.component` and `reportingComponent`. */
  readonly component: string;
  /** `reportingInstance`: the pod. */
  readonly instance: string;
  readonly logger: Logger;
  /**
   * Resolves when the API server is idle, or after `maxMs` at the latest, so that Events do not delay restarts.
   * Default: no wait.
   */
  readonly whenIdle?: (maxMs: number) => Promise<void>;
}

export interface EventRegarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface KubeEvent {
  readonly regarding: EventRegarding;
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

/** The API server rejects longer messages. */
const maxMessageBytes = 1024;
const maxNameLength = 253;
const nameSuffixDigits = 16;

/** Limit of pending Events: they must neither delay what they report, nor fill the memory when the server is slow. */
const maxPending = 4_096;
/** Limit for one namespace: a flood of Events there does not crowd out others. */
const maxPendingOfNamespace = 2_048;
/**
 * Limit for restarts that wait. A hold of ten thousand workloads reports them all within seconds; the log and `reroll
 * status` tell of each, and the Events of restarts must not wait behind them.
 */
const maxPendingDeferred = 256;

/** Concurrent writes: Events must leave connections for the next restarts. */
const maxWriting = 2;

/** Events wait for running restarts, but not so long that users miss them. */
const maxDelayMs = 5_000;

/** When the process ends, the last Events are written if the API server accepts them at once. */
const stopGraceMs = 1_000;

/** The same warning about the same object is written at most once in this time. */
const repeatAfterMs = 5 * 60_000;
const maxRemembered = 4096;

interface Waiting {
  readonly event: KubeEvent;
  /** Wall-clock time at which the Event was reported. */
  readonly happenedMs: number;
  /** The write waits for an idle API server until this time, by the monotonic clock. */
  readonly latestMs: number;
  readonly onEnd: () => void;
}

/**
 * Writes core/v1 Events, one POST each. A lost Event is logged and counted but is not an error: the restart that it
 * reports has happened.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  /** Warnings that were written recently or are pending. */
  readonly #recorded: RecentMap<true>;
  readonly #waiting: Waiting[] = [];
  /** Number of waiting Events by share: see {@link sharesOf}. */
  readonly #waitingOf = new Map<string, number>();
  readonly #warning: RateLimitedWarning;
  #writing = 0;
  #dropped = 0;
  /** All Events are written. */
  #onWritten: () => void = () => undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
    this.#recorded = new RecentMap(options.clock, { keptMs: repeatAfterMs, maxEntries: maxRemembered });
  }

  /** Events that were dropped because too many were pending, also when the process ended. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves when the Event is written or dropped. Never rejects. */
  async record(reported: KubeEvent): Promise<void> {
    const { clock } = this.#options;
    const event = { ...reported, message: printable(reported.message, maxMessageBytes) };
    const shares = sharesOf(event);
    const isFull = shares.some(([share, limit]) => (this.#waitingOf.get(share) ?? 0) >= limit);
    // Only Warnings are left out when they are repeated, so nothing else needs a hash.
    const identity = event.type === 'Warning' ? identityOf(event) : undefined;
    if (identity !== undefined && this.#recorded.get(identity)) return;
    if (this.#waiting.length + this.#writing >= maxPending || isFull) {
      this.#dropped++;
      this.#warning.warn('dropped', 'event dropped, too many are pending', fieldsOf(event));
      return;
    }
    if (identity !== undefined) this.#recorded.set(identity, true);
    await new Promise<void>((onEnd) => {
      const latestMs = clock.monotonicMs() + maxDelayMs;
      this.#waiting.push({ event, happenedMs: clock.nowMs(), latestMs, onEnd });
      for (const [share] of shares) this.#waitingOf.set(share, (this.#waitingOf.get(share) ?? 0) + 1);
      if (this.#writing < maxWriting) void this.#writeAll();
    });
  }

  /** Resolves soon. Events that cannot be written by then are lost and counted. */
  async stop(): Promise<void> {
    const { clock, logger } = this.#options;
    const written = new AbortController();
    this.#onWritten = () => written.abort();
    if (this.#writing > 0) await sleep(clock, stopGraceMs, written.signal);
    const lost = this.#waiting.splice(0);
    if (lost.length === 0) return;
    this.#dropped += lost.length;
    logger.warn('events dropped, the process ends', { events: lost.length });
    for (const { onEnd } of lost) onEnd();
  }

  async #writeAll(): Promise<void> {
    const { clock, whenIdle } = this.#options;
    this.#writing++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      for (const [share] of sharesOf(next.event)) this.#hasLeft(share);
      await whenIdle?.(Math.max(0, next.latestMs - clock.monotonicMs()));
      await this.#write(next);
      next.onEnd();
    }
    this.#writing--;
    if (this.#writing === 0) this.#onWritten();
  }

  #hasLeft(share: string): void {
    const left = (this.#waitingOf.get(share) ?? 0) - 1;
    if (left > 0) this.#waitingOf.set(share, left);
    else this.#waitingOf.delete(share);
  }

  async #write({ event, happenedMs }: Waiting): Promise<void> {
    const { client, logger } = this.#options;
    try {
      await createObject(client, events, event.regarding.namespace, this.#body(event, happenedMs));
    } catch (thrown) {
      // The Warning was not written after all, so an identical one must not be suppressed.
      this.#recorded.delete(identityOf(event));
      logger.warn('event not written', { ...fieldsOf(event), error: errorMessage(thrown) });
    }
  }

  #body({ regarding, type, reason, message }: KubeEvent, happenedMs: number): object {
    const { random, component, instance } = this.#options;
    // Whole seconds: `firstTimestamp` is a metav1.Time.
    const timestamp = new Date(happenedMs).toISOString().replace(/\.\d+Z$/, 'Z');
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: eventName(regarding.name, randomHex(random, nameSuffixDigits)),
        namespace: regarding.namespace,
      },
      involvedObject: regarding,
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      count: 1,
    };
  }
}

/** What an Event counts toward while it waits, and the limit of each. */
function sharesOf({ regarding, reason }: KubeEvent): readonly (readonly [share: string, limit: number])[] {
  const ofNamespace = [`namespace ${regarding.namespace}`, maxPendingOfNamespace] as const;
  return reason === 'ReloadDeferred' ? [ofNamespace, [reason, maxPendingDeferred]] : [ofNamespace];
}

function identityOf({ regarding, reason, message }: KubeEvent): string {
  return textDigest(`${regarding.uid} ${reason} ${message}`);
}

function fieldsOf({ regarding, reason }: KubeEvent): LogFields {
  return { object: `${regarding.namespace}/${regarding.name}`, kind: regarding.kind, reason };
}

/** `<object>.<hex>`, a DNS subdomain. A cut object name must not leave a dot or a dash before the dot. */
function eventName(objectName: string, suffix: string): string {
  return `${objectName.slice(0, maxNameLength - suffix.length - 1).replace(/[.-]+$/, '')}.${suffix}`;
}
