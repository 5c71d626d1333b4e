import type { ObjectKey } from '../../domain/kubernetes/object-key';
import type { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { Decoded } from '../wire/decoder';
import type { Delivery } from './delivery';

/**
 * One pass over the complete state: passes objects on as they arrive and remembers their keys. The sink keeps its
 * objects until the pass is complete; a pass that breaks off removes nothing.
 */
export class Relist<T> {
  readonly #delivery: Delivery<T>;
  readonly #seen = new Set<ObjectKey>();

  constructor(delivery: Delivery<T>) {
    this.#delivery = delivery;
  }

  /** Number of objects so far. */
  get objects(): number {
    return this.#seen.size;
  }

  upsert(decoded: Decoded<T>): void {
    this.#seen.add(decoded.key);
    this.#delivery.upsert(decoded, 'list');
  }

  /** Skips the object. It is present, so it must not be removed. */
  malformed(error: MalformedObjectError): void {
    if (error.key !== undefined) this.#seen.add(error.key);
    this.#delivery.malformed(error);
  }

  remove(key: ObjectKey, uid: string | undefined, resourceVersion: string | undefined): void {
    this.#seen.delete(key);
    this.#delivery.remove(key, uid, resourceVersion);
  }

  /** Starts the pass over: objects seen so far may have been deleted. */
  restart(): void {
    this.#seen.clear();
  }

  complete(): void {
    this.#delivery.complete(this.#seen);
  }
}
