import { RerollError } from '../../shared/domain/errors';
import type { GateName } from '../../shared/domain/gate-settings/gate-names';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WaitReason } from '../../shared/domain/protocol/workload-status';
import { ForbiddenError } from '../../shared/kube/errors';
import type { Clock } from '../../shared/runtime/clock';
import type { QueueResult } from '../queue/key-queue';
import { isForPerson } from '../reporting/errors-for-people';
import { wholeSecond } from '../sources/write-time';

/** The result of one look at a workload: for the queue, and for people who ask. */
export type LookResult = QueueResult & {
  /** Undefined: nothing, or a failure, or only its turn. */
  readonly waitsFor?: WaitReason;
  /** The gate that keeps the restart from beginning. */
  readonly closed?: ClosedGate;
  /** The error of a failed look. */
  readonly error?: unknown;
};

/** Why the last look at a workload was not the end of it. */
export interface UnfinishedLook {
  readonly waitsFor: WaitReason;
  /** By the wall clock. */
  readonly sinceMs: number;
  /** Set if the look failed. */
  readonly errorCode: string | undefined;
  /** Set if a gate is closed. */
  readonly closed: ClosedGate | undefined;
}

/** What workloads wait for whose last look failed or waits. All others are not in here, and they are most. */
export class UnfinishedLooks {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #looks = new Map<WorkloadKey, UnfinishedLook>();
  /** The last one that was noted. One hold may keep ten thousand restarts from beginning, which then share few looks. */
  #last: UnfinishedLook | undefined;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  get(key: WorkloadKey): UnfinishedLook | undefined {
    return this.#looks.get(key);
  }

  /** How many restarts each gate keeps from beginning. */
  countByGate(): ReadonlyMap<GateName, number> {
    const counts = new Map<GateName, number>();
    for (const { closed } of this.#looks.values()) {
      if (closed) counts.set(closed.gate, (counts.get(closed.gate) ?? 0) + 1);
    }
    return counts;
  }

  /** Takes the result of a look. A workload that still waits for the same has waited since the first such look. */
  note({ key }: Pick<TrackedWorkload, 'key'>, { kind, waitsFor, closed, error }: LookResult): void {
    const reason = closed?.gate ?? waitsFor ?? (kind === 'failed' ? waitAfter(error) : undefined);
    if (reason === undefined) {
      this.#looks.delete(key);
      return;
    }
    const before = this.#looks.get(key);
    const nowMs = this.#clock.nowMs();
    // Gates are closed for long. By whole seconds, those of one hold have the same time.
    const beganMs = closed ? wholeSecond(nowMs) : nowMs;
    const look = {
      waitsFor: reason,
      sinceMs: before?.waitsFor === reason ? before.sinceMs : beganMs,
      errorCode: error === undefined ? undefined : codeOf(error),
      closed,
    };
    if (!isSame(this.#last, look)) this.#last = look;
    this.#looks.set(key, this.#last);
  }

  forget(key: WorkloadKey): void {
    this.#looks.delete(key);
  }

  /** The term is over, and the next one looks at everything. */
  clear(): void {
    this.#looks.clear();
  }
}

function isSame(left: UnfinishedLook | undefined, right: UnfinishedLook): left is UnfinishedLook {
  return (
    left?.waitsFor === right.waitsFor &&
    left.sinceMs === right.sinceMs &&
    left.errorCode === right.errorCode &&
    left.closed?.gate === right.closed?.gate &&
    left.closed?.untilMs === right.closed?.untilMs &&
    left.closed?.detail === right.closed?.detail
  );
}

function waitAfter(error: unknown): WaitReason {
  if (error instanceof ForbiddenError && error.byRbac) return 'permission';
  return isForPerson(error) ? 'fix' : 'retry';
}

/** The code and not the message: an API server's message may quote what it refuses. */
function codeOf(error: unknown): string {
  return error instanceof RerollError ? error.code : 'UNEXPECTED';
}
