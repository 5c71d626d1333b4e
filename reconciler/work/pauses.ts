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
  /** The annotation that says since when we hold a Deployment. */
  readonly pausedAtKey: string;
}

/** What a restart that begins a pause writes beside the template. */
export interface PauseBegun {
  readonly pause: Pause;
  readonly annotations: Readonly<Record<string, string>>;
  readonly untilMs: number;
}

/**
 * Holds Deployments paused and resumes them. No timer counts but a workload's next look: who is paused since when stands
 * on the object, so a process that dies, or a person who resumes it, changes nothing that we would remember wrongly.
 */
export class Pauses {
  readonly #options: PausesOptions;

  constructor(options: PausesOptions) {
    this.#options = options;
  }

  /** Undefined where a restart begins none: none is asked for, one lasts, or somebody else has paused it. */
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
   * Resumes the workload if its pause is over, and otherwise says when to look again. The PATCH is of the version that
   * was looked at: what a person has done since is a conflict, and is looked at first.
   */
  async reconcile(key: WorkloadKey): Promise<QueueResult> {
    const { workloads, clock, context, reporter, pausedAtKey } = this.#options;
    const workload = workloads.get(key);
    const pause = workload?.record.pause;
    if (!workload || pause?.since === undefined || workload.record.deleting) return { kind: 'done' };
    const leftMs = pausedForMs(pause, clock.nowMs());
    if (leftMs !== undefined && leftMs > 0) return { kind: 'again', afterMs: leftMs };
    // Somebody resumed it: our note goes, or a pause that they make later would pass for ours.
    const rest = leftMs === undefined ? {} : { spec: { paused: false } };
    await patch(context, workload, { [pausedAtKey]: null }, rest);
    reporter.resumed(workload, leftMs === undefined ? 'by somebody else' : 'after its pause');
    return { kind: 'done' };
  }
}
