import { pausedForMs, type Pause } from '../../shared/domain/workloads/pause';
import type { Clock } from '../../shared/runtime/clock';
import { patch } from '../apply/patch-workload';
import type { ApplyContext } from '../apply/restart';
import type { QueueResult } from '../queue/key-queue';
import type { Reporter } from '../reporting/reporter';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadIndex } from '../workloads/workload-index';

export interface PausesOptions {
  readonly clock: Clock;
  readonly context: ApplyContext;
  readonly workloads: Pick<WorkloadIndex, 'get'>;
  readonly reporter: Pick<Reporter, 'resumed'>;
  /** The annotation with the time since which Reroll has held a Deployment paused. */
  readonly pausedAtKey: string;
}

/** What a restart that begins a pause writes in addition to the template. */
export interface PauseBegun {
  readonly pause: Pause;
  readonly annotations: Readonly<Record<string, string>>;
  readonly untilMs: number;
}

/**
 * Holds Deployments paused and resumes them. The state of a pause is stored on the object, and the only timer is the
 * workload's next look. If the process dies or a person resumes the Deployment, no stale state is left in memory.
 */
export class Pauses {
  readonly #options: PausesOptions;

  constructor(options: PausesOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the restart begins no pause: none is requested, one is in progress, or somebody else paused the
   * workload.
   */
  pauseFor({ record }: TrackedWorkload, nowMs: number): PauseBegun | undefined {
    const { pause } = record;
    if (pause?.periodMs === undefined || pause.paused) return undefined;
    // Whole seconds, as Reloader writes them.
    const since = Math.floor(nowMs / 1000) * 1000;
    return {
      pause: { ...pause, paused: true, since },
      annotations: { [this.#options.pausedAtKey]: new Date(since).toISOString().replace('.000Z', 'Z') },
      untilMs: since + pause.periodMs,
    };
  }

  /**
   * Resumes the workload if its pause is over; otherwise returns when to look again. The PATCH names the version that
   * was looked at: a later change by a person is a conflict and is looked at first.
   */
  async reconcile(key: WorkloadKey): Promise<QueueResult> {
    const { workloads, clock, context, reporter, pausedAtKey } = this.#options;
    const workload = workloads.get(key);
    const pause = workload?.record.pause;
    if (!workload || pause?.since === undefined || workload.record.deleting) return { kind: 'done' };
    const leftMs = pausedForMs(pause, clock.nowMs());
    if (leftMs !== undefined && leftMs > 0) return { kind: 'again', afterMs: leftMs };
    // Somebody resumed it. Our annotation is removed, or a later pause by a person would look like ours.
    const rest = leftMs === undefined ? {} : { spec: { paused: false } };
    await patch(context, workload, { [pausedAtKey]: null }, rest);
    reporter.resumed(workload, leftMs === undefined ? 'by somebody else' : 'after its pause');
    return { kind: 'done' };
  }
}
