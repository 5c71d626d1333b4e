import type { Clock } from '../../shared/runtime/clock';
import type { Watches } from './watches';

export interface KnownGatesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly watches: Pick<Watches, 'gatesStanding' | 'listGatesAgain'>;
}

/**
 * A refusal counts if it lasts this long: an API server that has just started refuses all requests until it has read
 * roles and bindings, and one whose roles are being replaced soon allows what it refuses.
 */
export const lastingRefusalMs = 15_000;

/**
 * Whether the lists of what may keep restarts from beginning are complete: of namespaces, and of ConfigMap reroll-hold.
 * Until then, no restart begins. If the API server refuses a list for 15 seconds, Reroll goes on without it, and what is
 * set there, such as a hold, has no effect.
 */
export class KnownGates {
  readonly #options: KnownGatesOptions;
  #isKnown = false;
  #refusedSinceMs: number | undefined;

  constructor(options: KnownGatesOptions) {
    this.#options = options;
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** A list is complete, or a watch was refused. Returns true if the gates are known from now on. */
  progress(): boolean {
    const { clock, watches } = this.#options;
    const standing = watches.gatesStanding();
    const nowMs = clock.monotonicMs();
    this.#refusedSinceMs = standing === 'refused' ? (this.#refusedSinceMs ?? nowMs) : undefined;
    if (this.#isKnown) return false;
    this.#isKnown = standing === 'known' || nowMs - (this.#refusedSinceMs ?? nowMs) >= lastingRefusalMs;
    return this.#isKnown;
  }

  /** What was learned counts no longer; everything is listed again. */
  forget(): void {
    this.#isKnown = false;
    this.#refusedSinceMs = undefined;
  }

  /** A term begins: what was learned before may be older than what the previous leader knew. */
  listAgain(): void {
    this.forget();
    void this.#options.watches.listGatesAgain();
  }
}
