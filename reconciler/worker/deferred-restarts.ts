import type { Baseline } from '../../shared/domain/baseline/baseline';
import type { GatesAnswer } from '../../shared/domain/gates/ask-gates';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { Change } from '../../shared/domain/plan/change';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { isReplacingPods, isStartingPods } from '../../shared/domain/workloads/rollout-status';
import type { Clock } from '../../shared/runtime/clock';
import type { RestartTurns } from '../gates/restart-turns';
import type { WorkloadGates } from '../gates/workload-gates';
import { sooner } from '../queue/key-queue';
import type { Deferrals } from '../reporting/deferrals';
import { unwritten, type BaselineWrites } from './baseline-writes';
import { settleTimesOf, type SettleTimes, type SettleWindows } from './settle-window';
import type { LookResult, UnfinishedLooks } from './unfinished-looks';

export interface DeferredRestartsOptions {
  readonly clock: Clock;
  readonly gates: Pick<WorkloadGates, 'ask'>;
  readonly turns: Pick<RestartTurns, 'ask'>;
  readonly deferrals: Pick<Deferrals, 'deferred'>;
  readonly settle: Pick<SettleWindows, 'close' | 'openedMs'>;
  readonly unfinished: Pick<UnfinishedLooks, 'get'>;
  readonly defaults: SettleTimes;
}

/**
 * A longer settle window leaves time for a rollout by somebody else and for a change back. To record that in a shorter one
 * would cost a write for each change in the middle of a rollout.
 */
const shortSettle: SettleTimes = { settleMs: 2_000, settleMaxMs: 10_000 };

/** A gate that opens in weeks is asked again meanwhile: no timer is set for longer, and clocks are corrected. */
const gateLookMs = 3_600_000;

/** Asks whether an owed restart may begin, and keeps it owed while a gate is closed. */
export class DeferredRestarts {
  readonly #options: DeferredRestartsOptions;
  readonly #writes: Pick<BaselineWrites, 'turn' | 'adopt'>;

  constructor(options: DeferredRestartsOptions, writes: Pick<BaselineWrites, 'turn' | 'adopt'>) {
    this.#options = options;
    this.#writes = writes;
  }

  /** Whether the restart may begin: by the gates, and then by its turn among others. */
  askGates(workload: TrackedWorkload, changes: readonly Change[]): GatesAnswer {
    const { clock, gates, turns } = this.#options;
    const answer = gates.ask(workload, changes, clock.nowMs());
    const closed = answer.isOpen ? turns.ask(workload, changes) : undefined;
    return closed ? { isOpen: false, closed } : answer;
  }

  /**
   * The restart stays owed, and `owing` records against what. Whatever opens the gate has the workload looked at again,
   * and so does its time.
   */
  async defer(
    workload: TrackedWorkload,
    changes: readonly Change[],
    closed: ClosedGate,
    owing: Baseline | undefined,
  ): Promise<LookResult> {
    const { clock, deferrals, settle } = this.#options;
    // The wait for quiet sources is over, and what the change waits for now is no delay of ours.
    settle.close(workload.key);
    deferrals.deferred(workload, changes, closed);
    const unrecorded = await this.recordOwing(workload, owing);
    const leftMs = closed.untilMs === undefined ? undefined : Math.max(0, closed.untilMs - clock.nowMs());
    // A write that fails lets others have their turn, and each look of those must not begin their backoff anew.
    const opens: LookResult =
      leftMs === undefined
        ? { kind: 'done', isUntried: true }
        : { kind: 'again', afterMs: Math.min(leftMs, gateLookMs), isUntried: true };
    return { ...(unrecorded ? sooner(opens, unrecorded) : opens), closed };
  }

  /** Whether pods start while a restart waits that is owed or may be: what they read may be changed back before it. */
  mayBeInDoubt({ key, record }: TrackedWorkload): boolean {
    const { defaults, settle, unfinished } = this.#options;
    if (unfinished.get(key)?.closed) return isStartingPods(record);
    // A change that is taken back in its window restarts nothing, also where a pod is broken, unless a rollout is on.
    if (settle.openedMs(key) === undefined || !isReplacingPods(record)) return false;
    const { settleMs, settleMaxMs } = settleTimesOf(record.settings, defaults);
    return settleMs > shortSettle.settleMs || settleMaxMs > shortSettle.settleMaxMs;
  }

  /** Records what the restart is owed against while it waits. Undefined: that is recorded. */
  async recordOwing(workload: TrackedWorkload, owing: Baseline | undefined): Promise<LookResult | undefined> {
    if (!owing) return undefined;
    const turn = await this.#writes.turn(workload);
    if (turn) return turn;
    return (await this.#writes.adopt(workload, owing)) ? undefined : unwritten;
  }
}
