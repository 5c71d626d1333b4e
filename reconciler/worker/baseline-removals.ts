import { possibleRemovers } from '../../shared/domain/workloads/managed-fields';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject } from '../../shared/kube/client/objects';
import type { Clock } from '../../shared/runtime/clock';
import type { Reporter } from '../reporting/reporter';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

export interface BaselineRemovalsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'baselineRemoved' | 'baselineLost'>;
}

interface Removals {
  /** The last ones, oldest first, by the monotonic clock. */
  readonly atMs: readonly number[];
  readonly reportedMs: number | undefined;
}

/**
 * One removal may be a `kubectl replace`, a second one its correction. Three within an hour, each after Reroll restored
 * the baseline, come from a program. More rarely than that there is no fight: Reroll restores a baseline once an hour
 * anyway.
 */
const manyRemovals = 3;
const hourMs = 60 * 60_000;

/**
 * Once reported, a fight counts as ongoing until there is a pause of this length: in a long fight Reroll restores the
 * baseline only once an hour.
 */
const peaceMs = 2 * hourMs;

/** An Event is kept for an hour, a log for longer. Repeating the report once a day keeps it visible on the next day. */
const repeatAfterMs = 24 * hourMs;

/** Reports workloads whose baseline keeps being removed, and the field managers that may do it. */
export class BaselineRemovals {
  readonly #options: BaselineRemovalsOptions;
  readonly #removals = new Map<WorkloadKey, Removals>();
  /** When it was last reported that a write was stored without its baseline. */
  readonly #lostMs = new Map<WorkloadKey, number>();

  constructor(options: BaselineRemovalsOptions) {
    this.#options = options;
  }

  /** Called after the newest baseline was restored. Never rejects. */
  async putBack(workload: TrackedWorkload): Promise<void> {
    // `kubectl rollout undo` puts an older baseline in its place. That is not a removal.
    if (workload.record.baselineText !== undefined || !this.#mustReport(workload.key)) return;
    this.#options.reporter.baselineRemoved(workload, await this.#possibleRemovers(workload));
  }

  /** Called after the answer to a write lacked its baseline. */
  lost(workload: TrackedWorkload): void {
    const nowMs = this.#options.clock.monotonicMs();
    const reportedMs = this.#lostMs.get(workload.key) ?? -Infinity;
    if (nowMs - reportedMs < repeatAfterMs) return;
    this.#lostMs.set(workload.key, nowMs);
    this.#options.reporter.baselineLost(workload);
  }

  forget(key: WorkloadKey): void {
    this.#removals.delete(key);
    this.#lostMs.delete(key);
  }

  #mustReport(key: WorkloadKey): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const { atMs: before, reportedMs } = this.#removals.get(key) ?? { atMs: [], reportedMs: undefined };
    const atMs = [...before, nowMs].slice(-manyRemovals);
    const isMany = atMs.length === manyRemovals && nowMs - (atMs[0] ?? 0) <= hourMs;
    const goesOn = reportedMs !== undefined && nowMs - (before.at(-1) ?? 0) <= peaceMs;
    const isNews = reportedMs === undefined || nowMs - reportedMs >= repeatAfterMs;
    const mustReport = isNews && (isMany || goesOn);
    this.#removals.set(key, { atMs, reportedMs: mustReport ? nowMs : reportedMs });
    return mustReport;
  }

  /** Read on demand: keeping the managers of each workload would waste memory. Without an answer, nobody is named. */
  async #possibleRemovers({ record }: TrackedWorkload): Promise<readonly string[]> {
    const { resource } = workloadKind(record.kind);
    try {
      return possibleRemovers(await getObject(this.#options.client, resource, record.namespace, record.name));
    } catch {
      return [];
    }
  }
}
