import type { Clock } from '../../runtime/clock';
import { reviewRight } from './access-review';
import type { KubeClient } from './client';
import { ForbiddenError } from '../errors';

/** An API server that has just started refuses everything for a moment, until it has read who may do what. */
const persistMs = 15_000;

export interface PermissionProbeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/**
 * Tells a right that is missing from one that is not known yet: the API server says so, or, where it does not say, it has
 * refused for so long and nothing else.
 */
export class PermissionProbe {
  readonly #options: PermissionProbeOptions;
  #sinceMs: number | undefined;

  constructor(options: PermissionProbeOptions) {
    this.#options = options;
  }

  /** Told of how each attempt failed; undefined: it did not. Never rejects. */
  async isRightMissing(failure: unknown): Promise<boolean> {
    if (!isRbacForbidden(failure)) {
      this.#sinceMs = undefined;
      return false;
    }
    const { client, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const sinceMs = (this.#sinceMs ??= nowMs);
    switch (await reviewRight(client, failure.target)) {
      case 'missing':
        return true;
      case 'held':
        this.#sinceMs = undefined;
        return false;
      case 'unknown':
        return nowMs - sinceMs >= persistMs;
    }
  }
}

/** Not by a quota, nor by admission: a rule of a Role would help. */
export function isRbacForbidden(error: unknown): error is ForbiddenError {
  return error instanceof ForbiddenError && error.byRbac;
}
