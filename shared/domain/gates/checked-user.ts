import type { RestartedUser } from './source-rollout';

/** What the health checks of a workload have said since its last restart. */
export type CheckVerdict =
  /** It has none that are asked. `check`: why an annotation of it has no effect. */
  | { readonly is: 'none'; readonly check?: string }
  /** They were not asked yet, or too long ago. */
  | { readonly is: 'pending' }
  | { readonly is: 'passes'; readonly sinceMs: number }
  /** `check` says which one, and what happened. */
  | { readonly is: 'fails'; readonly check: string };

/** A part of a restarted user that its rollout shows. The time is by any one clock. */
export interface RolledOut extends Pick<RestartedUser, 'state' | 'deadlineFromMs' | 'check'> {
  readonly sinceMs: number | undefined;
}

/**
 * A rollout that has ended, as its checks make it look: while they do not pass it goes on, until its deadline. Before
 * they are asked there is no deadline, so that nothing is stopped for want of an answer that a new leader does not have.
 * What has no deadline of its own, such as a Job, has one for its checks, from when it was done by the wall clock.
 */
export function withChecks(rollout: RolledOut, verdict: CheckVerdict, rolledOutAtMs: number): RolledOut {
  switch (verdict.is) {
    case 'none':
      return verdict.check === undefined ? rollout : { ...rollout, check: verdict.check };
    case 'pending':
      return { state: 'held', deadlineFromMs: undefined, sinceMs: undefined };
    case 'passes':
      return {
        ...rollout,
        sinceMs: rollout.sinceMs === undefined ? undefined : Math.max(rollout.sinceMs, verdict.sinceMs),
      };
    case 'fails':
      return {
        state: 'rolling',
        deadlineFromMs: rollout.deadlineFromMs ?? rolledOutAtMs,
        sinceMs: undefined,
        check: verdict.check,
      };
  }
}
