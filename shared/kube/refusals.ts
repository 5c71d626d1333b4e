import type { Clock } from '../runtime/clock';
import { ForbiddenError } from './errors';

/** An API server that has just started refuses everything for a moment, until it has read who may do what. */
const persistMs = 15_000;

/** Tells a right that is missing from one that is not known yet: it has been refused for so long, and nothing else. */
export class Refusals {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Told of how each attempt failed; undefined: it did not. */
  isRightMissing(failure: unknown): boolean {
    if (!isRightRefused(failure)) {
      this.#sinceMs = undefined;
      return false;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#sinceMs ??= nowMs;
    return nowMs - this.#sinceMs >= persistMs;
  }
}

/** Not by a quota, nor by admission: a rule of a Role would help. */
export function isRightRefused(error: unknown): error is ForbiddenError {
  return error instanceof ForbiddenError && error.byRbac;
}
