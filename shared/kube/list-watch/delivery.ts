import type { ObjectKey } from '../../domain/kubernetes/object-key';
import { errorMessage } from '../../domain/errors';
import type { Logger } from '../../runtime/log/logger';
import type { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { Decoded } from '../wire/decoder';
import type { ReflectorObserver } from '../observers';

/** Where a reflector delivers. Callbacks are synchronous and only take note: the work is done elsewhere. */
export interface ReflectorSink<T> {
  upsert(object: T, origin: 'list' | 'watch'): void;
  /**
   * `uid` is that of the object that went; undefined: whatever has this key is gone. `resourceVersion` is that of its going:
   * of its deletion, or of the write that took it out of what is selected; undefined where a list does not show it.
   */
  remove(key: ObjectKey, uid?: string, resourceVersion?: string): void;
  /** What the sink holds of this reflector's resource and scope. */
  keys(): Iterable<ObjectKey>;
  /** A complete list has been delivered, the removals that follow from it included. */
  synced(): void;
}

/**
 * One run's way to the sink: closed when the run is over, so that nothing arrives after a stop, and a wall for what the
 * sink throws, so that its bug cannot end the stream.
 */
export class Delivery<T> {
  readonly #sink: ReflectorSink<T>;
  readonly #run: AbortSignal;
  readonly #logger: Logger;
  readonly #observer: ReflectorObserver | undefined;

  constructor(sink: ReflectorSink<T>, run: AbortSignal, logger: Logger, observer: ReflectorObserver | undefined) {
    this.#sink = sink;
    this.#run = run;
    this.#logger = logger;
    this.#observer = observer;
  }

  upsert({ key, object }: Decoded<T>, origin: 'list' | 'watch'): void {
    this.#deliver(key, () => this.#sink.upsert(object, origin));
  }

  remove(key: ObjectKey, uid?: string, resourceVersion?: string): void {
    this.#deliver(key, () => this.#sink.remove(key, uid, resourceVersion));
  }

  /** The object is skipped; what the sink holds of it stays. */
  malformed(error: MalformedObjectError): void {
    this.#observer?.decodeFailed('object');
    this.#logger.warn('object skipped, its shape is not what the API promises', {
      object: error.key,
      error: error.message,
    });
  }

  /**
   * After a complete list: removes what was not in it.
   *
   * @returns how many objects the sink held that were not.
   */
  complete(seen: ReadonlySet<ObjectKey>): void {
    this.#deliver(undefined, () => {
      const gone = [...this.#sink.keys()].filter((key) => !seen.has(key));
      for (const key of gone) this.remove(key);
    });
    this.#deliver(undefined, () => this.#sink.synced());
  }

  #deliver(key: ObjectKey | undefined, callback: () => void): void {
    if (this.#run.aborted) return;
    try {
      callback();
    } catch (thrown) {
      this.#observer?.sinkFailed();
      this.#logger.error('taking note of an object failed', { object: key, error: errorMessage(thrown) });
    }
  }
}
