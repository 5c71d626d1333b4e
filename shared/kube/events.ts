import { cutToBytes } from '../domain/cut-to-bytes';
import { errorMessage } from '../domain/errors';
import type { Clock } from '../runtime/clock';
import type { Logger } from '../runtime/logger';
import type { Random } from '../runtime/random';
import { randomHex } from '../runtime/random';
import type { KubeClient } from './client';
import { createObject } from './objects';
import { events } from './resource';

/** Every reason that Reroll gives in an Event: people and alerts depend on them. */
export const eventReasons = [
  'Reloaded',
  'ReloadFail',
  'ReloadDeferred',
  'ReloadSkipped',
  'BaselineRemoved',
  'Unhealthy',
] as const;
export type EventReason = (typeof eventReasons)[number];

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** `source.component` and `reportingComponent`. */
  readonly component: string;
  /** `reportingInstance`: the pod. */
  readonly instance: string;
  readonly logger: Logger;
  /** Resolves when there is time for them: they would take that of the restarts from the API server. Default: always. */
  readonly lull?: () => Promise<void>;
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

/** The server refuses longer ones. */
const maxMessageBytes = 1024;
const maxNameLength = 253;
const nameSuffixDigits = 16;

/** Events tell; they must not hold up what they tell about, nor fill the memory when the server is slow. */
const maxPending = 4_096;

/** They wait for their few connections, one behind the other. */
const timeoutMs = 120_000;

/** The same warning about the same object is told once in this time. */
const repeatAfterMs = 5 * 60_000;
const maxRemembered = 4096;

/**
 * Writes core/v1 Events, one POST each. Losing one is logged and counted, never an error: the restart it tells about
 * has happened.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  /** When each warning was last told, by the monotonic clock; oldest first. */
  readonly #toldMs = new Map<string, number>();
  #pending = 0;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Events that were given up because too many were under way. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves when the Event is written, or given up. Never rejects. */
  async record(event: KubeEvent): Promise<void> {
    const { client, logger } = this.#options;
    const { regarding, reason } = event;
    const fields = { object: `${regarding.namespace}/${regarding.name}`, kind: regarding.kind, reason };
    const identity = `${regarding.uid} ${reason} ${event.message}`;
    if (event.type === 'Warning' && this.#wasTold(identity)) return;
    if (this.#pending >= maxPending) {
      this.#dropped++;
      logger.warn('event dropped, too many are under way', fields);
      return;
    }
    this.#pending++;
    if (event.type === 'Warning') this.#remember(identity);
    const body = this.#body(event);
    try {
      await this.#options.lull?.();
      await createObject(client, events, regarding.namespace, body, { pool: 'event', timeoutMs });
    } catch (thrown) {
      // Not told after all: the next of its kind may be.
      this.#toldMs.delete(identity);
      logger.warn('event not written', { ...fields, error: errorMessage(thrown) });
    } finally {
      this.#pending--;
    }
  }

  #wasTold(identity: string): boolean {
    const toldMs = this.#toldMs.get(identity);
    return toldMs !== undefined && this.#options.clock.monotonicMs() - toldMs < repeatAfterMs;
  }

  #remember(identity: string): void {
    this.#toldMs.delete(identity);
    this.#toldMs.set(identity, this.#options.clock.monotonicMs());
    if (this.#toldMs.size <= maxRemembered) return;
    for (const oldest of this.#toldMs.keys()) {
      this.#toldMs.delete(oldest);
      return;
    }
  }

  #body({ regarding, type, reason, message }: KubeEvent): object {
    const { clock, random, component, instance } = this.#options;
    // Seconds: `firstTimestamp` is a metav1.Time.
    const timestamp = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
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
      message: cutToBytes(message, maxMessageBytes),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: timestamp,
      lastTimestamp: timestamp,
      count: 1,
    };
  }
}

/** `<object>.<hex>`, a DNS subdomain: a name that is cut may not end in a dot or a dash before the dot. */
function eventName(objectName: string, suffix: string): string {
  return `${objectName.slice(0, maxNameLength - suffix.length - 1).replace(/[.-]+$/, '')}.${suffix}`;
}
