import { isOlderVersion } from '../../domain/kubernetes/resource-version';
import type { Clock } from '../../runtime/clock';
import type { WatchEvent } from '../wire/watch-event';

/** Maximum silence of a watch-list before its end mark. */
const idleMs = 10_000;

/**
 * Maximum time in which each object is newer than all before it. The objects of a list are sorted by name, so in a
 * longer list their versions are in no order; those of changes are.
 */
const inOrderMs = 30_000;

/**
 * How long to wait for the end mark of a watch-list. A server that ignores `sendInitialEvents` never sends the mark, but
 * all objects, and then each change: with a busy resource it is never silent.
 */
export class InitialEvents {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #newest = '';
  /** When an object came that cannot be a change. */
  #listedMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#listedMs = clock.monotonicMs();
  }

  saw(event: WatchEvent<unknown>): void {
    if (event.type !== 'upsert') return;
    const { resourceVersion } = event.decoded;
    if (isOlderVersion(resourceVersion, this.#newest)) this.#listedMs = this.#clock.monotonicMs();
    else this.#newest = resourceVersion;
  }

  /** Counted from the last byte, which came now. */
  get awaitedForMs(): number {
    return Math.min(idleMs, Math.max(0, this.#listedMs + inOrderMs - this.#clock.monotonicMs()));
  }
}
