import type { Clock } from '../../runtime/clock';
import { reviewRight } from './access-review';
import type { KubeClient } from './client';
import { ForbiddenError } from '../errors';

/**
 * Refusals must persist for this long: an API server that has just started refuses all requests until it has read roles
 * and bindings.
 */
const persistMs = 15_000;

export interface PermissionProbeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/**
 * Decides whether a permission is missing or just not known yet. It is missing if an access review says so. If the
 * review does not say, it is missing after `persistMs` of nothing but refusals.
 */
export class PermissionProbe {
  readonly #options: PermissionProbeOptions;
  #sinceMs: number | undefined;

  constructor(options: PermissionProbeOptions) {
    this.#options = options;
  }

  /** Call it with the failure of each attempt, or with undefined after a success. Never rejects. */
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

/** Whether RBAC refused the request, rather than quota or admission. Only then would a Role rule help. */
export function isRbacForbidden(error: unknown): error is ForbiddenError {
  return error instanceof ForbiddenError && error.byRbac;
}
