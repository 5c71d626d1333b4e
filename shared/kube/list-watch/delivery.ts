import type { ObjectKey } from '../../domain/kubernetes/object-key';
import { errorMessage } from '../../domain/errors';
import type { Logger } from '../../runtime/log/logger';
import type { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { Decoded } from '../wire/decoder';
import type { ReflectorObserver } from '../observers';

/** The receiver of a reflector's objects. Callbacks are synchronous and only store what they receive. */
export interface ReflectorSink<T> {
  upsert(object: T, origin: 'list' | 'watch'): void;
  /**
   * `uid` is that of the removed object; undefined: any object with this key was removed. `resourceVersion` is that of
   * the deletion, or of the write after which the selectors no longer matched the object. It is undefined if it is
   * unknown, for example if a list shows the removal.
   */
  remove(key: ObjectKey, uid?: string, resourceVersion?: string): void;
  /** The keys that the sink holds for this reflector's resource and scope. */
  keys(): Iterable<ObjectKey>;
  /** Called when a complete list has been delivered, including the removals that follow from it. */
  synced(): void;
}

/**
 * Delivers the objects of one run to the sink. It delivers nothing after the run's signal has been aborted. It catches
 * what the sink throws, so that a bug there does not end the stream.
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

  /** Skips the object; the sink keeps its previous state. */
  malformed(error: MalformedObjectError): void {
    this.#observer?.decodeFailed('object');
    this.#logger.warn('object skipped, its shape is unexpected', {
      object: error.key,
      error: error.message,
    });
  }

  /** Ends a complete list: removes the sink's objects that were not in it, and then reports `synced`. */
  complete(seen: ReadonlySet<ObjectKey>): void {
    this.#deliver(undefined, () => {
      const missing = [...this.#sink.keys()].filter((key) => !seen.has(key));
      for (const key of missing) this.remove(key);
    });
    this.#deliver(undefined, () => this.#sink.synced());
  }

  #deliver(key: ObjectKey | undefined, callback: () => void): void {
    if (this.#run.aborted) return;
    try {
      callback();
    } catch (thrown) {
      this.#observer?.sinkFailed();
      this.#logger.error('processing an object failed', { object: key, error: errorMessage(thrown) });
    }
  }
}
