import type { ToldDeferral } from '../../shared/domain/protocol/deferral';
import type { Grounds } from '../cluster/ask-leader';
import type { Install } from '../evidence/install';
import type { SourceUsers } from '../users/read-users';
import type { Effect } from './effects';
import type { SourceChange } from './source-change';
import type { Unresolved } from './unresolved';

/** What happens to a workload that uses something that changes. */
export const outcomes = ['restarts', 'rolls-out', 'stays'] as const;
export type Outcome = (typeof outcomes)[number];

export interface PreviewedWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `rolls-out`: its own pod template changes too, and the restart coalesces with that rollout. */
  readonly outcome: Outcome;
  /** What keeps the restart from beginning; undefined: nothing, or it does not restart. */
  readonly deferred?: ToldDeferral;
  /** One for each source that changes and that it uses; those that restart it come first. */
  readonly effects: readonly Effect[];
}

/** A change, and what is known of its source besides. */
export interface PreviewedSource {
  readonly change: SourceChange;
  /** The label selector of the install that leaves it out, before and after the change. */
  readonly leftOutBy: string | undefined;
  readonly account: Omit<SourceUsers, 'users'>;
}

/** What would restart if a change were made. */
export interface Preview extends Grounds {
  readonly sources: readonly PreviewedSource[];
  readonly workloads: readonly PreviewedWorkload[];
  readonly unresolved: readonly Unresolved[];
  readonly install: Pick<Install, 'isKnown' | 'dryRun' | 'callsInstead'>;
}
