import { withChecks } from '../../shared/domain/gates/checked-user';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { LocalSourceRef, SourceRecord, SourceRef } from '../../shared/domain/sources/source';
import { mayProve } from '../../shared/domain/workloads/rollout-progress';
import type { Clock } from '../../shared/runtime/clock';
import type { HealthChecks } from './health-checks';
import type { HealthySince } from './healthy-since';
import type { UserStanding } from './staged-source';

export interface UserStandingsOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly checks: Pick<HealthChecks, 'verdict' | 'hasChecks'>;
  /** Whether a restart for a source is owed to a workload, or may be. */
  readonly owes: (workload: TrackedWorkload, source: LocalSourceRef) => boolean;
}

/** What became of a source's change in each of its users, as the stages judge it. */
export class UserStandings {
  readonly #options: UserStandingsOptions;
  readonly #healthy: Pick<HealthySince, 'sinceMs'>;

  constructor(options: UserStandingsOptions, healthy: Pick<HealthySince, 'sinceMs'>) {
    this.#options = options;
    this.#healthy = healthy;
  }

  /** `id` is that of the current content; undefined: it is not known. */
  of(
    workload: TrackedWorkload,
    source: SourceRef,
    record: SourceRecord | undefined,
    id: string | undefined,
  ): UserStanding {
    if (this.#options.owes(workload, source)) return 'owes';
    const { kind, name, lastRestart, progress, pause } = workload.record;
    if (!lastRestart) return undefined;
    const isNoted = id !== undefined && lastRestart.changeIds?.includes(id) === true;
    const hasRestartedSince = id !== undefined && lastRestart.earlierChangeIds?.includes(id) === true;
    // It restarted for another source since. The time of a write says less: it is also that of an edited annotation.
    if (!isNoted && lastRestart.atMs < (record?.writtenAtMs ?? Infinity)) return undefined;
    const rolledOutMs = this.#healthy.sinceMs(workload.key, lastRestart.id, progress.state);
    // Its pods are not replaced before the pause is over in which Reroll itself holds it. Once it is resumed, nothing else
    // tells of that pause.
    const deadlineFromMs = kind === 'Job' ? undefined : lastRestart.atMs + (pause?.periodMs ?? 0);
    const shown = { state: progress.state, deadlineFromMs, sinceMs: rolledOutMs };
    const { checks, clock } = this.#options;
    const isRolledOut = rolledOutMs !== undefined;
    const { sinceMs, ...rollout } = isRolledOut
      ? withChecks(shown, checks.verdict(workload), clock.nowMs() - (clock.monotonicMs() - rolledOutMs))
      : shown;
    return {
      ...{ key: workload.key, title: `${kind} ${name}`, restartedAtMs: lastRestart.atMs, ...rollout },
      ...{ isForIt: isNoted, hasRestartedSince },
      healthySinceMonotonicMs: sinceMs,
      isChecked: isRolledOut && checks.hasChecks(workload.record),
      mayProve: mayProve(workload.record),
    };
  }
}
