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
  readonly reporter: Pick<Reporter, 'baselineRemoved'>;
}

interface Removals {
  /** The last ones, oldest first, by the monotonic clock. */
  readonly atMs: readonly number[];
  readonly toldMs: number | undefined;
}

/**
 * One may be a `kubectl replace`, a second one its correction. Who does it for the third time within an hour, though it was put
 * back twice, does it by itself; and with what does it more rarely there is no fight, for once an hour it is put back anyway.
 */
const manyRemovals = 3;
const hourMs = 60 * 60_000;

/** Once it has been told, it goes on until there is such a pause: in a long fight the baseline is put back once an hour. */
const peaceMs = 2 * hourMs;

/** An Event is kept for an hour, a log for longer: who looks on the next day is to find it again, and no more often. */
const repeatAfterMs = 24 * hourMs;

/** Tells of workloads whose baseline somebody removes again and again, and who that is as far as can be told. */
export class BaselineRemovals {
  readonly #options: BaselineRemovalsOptions;
  readonly #removals = new Map<WorkloadKey, Removals>();

  constructor(options: BaselineRemovalsOptions) {
    this.#options = options;
  }

  /** The newest baseline was put back. Never rejects. */
  async putBack(workload: TrackedWorkload): Promise<void> {
    // An older one in its place is what `kubectl rollout undo` brings: that removes nothing.
    if (workload.record.baselineText !== undefined || !this.#isToBeTold(workload.key)) return;
    this.#options.reporter.baselineRemoved(workload, await this.#possibleRemovers(workload));
  }

  forget(key: WorkloadKey): void {
    this.#removals.delete(key);
  }

  #isToBeTold(key: WorkloadKey): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const { atMs: before, toldMs } = this.#removals.get(key) ?? { atMs: [], toldMs: undefined };
    const atMs = [...before, nowMs].slice(-manyRemovals);
    const isMany = atMs.length === manyRemovals && nowMs - (atMs[0] ?? 0) <= hourMs;
    const goesOn = toldMs !== undefined && nowMs - (before.at(-1) ?? 0) <= peaceMs;
    const isNews = toldMs === undefined || nowMs - toldMs >= repeatAfterMs;
    const isToBeTold = isNews && (isMany || goesOn);
    this.#removals.set(key, { atMs, toldMs: isToBeTold ? nowMs : toldMs });
    return isToBeTold;
  }

  /** By a read: of each workload this would be kept for nothing. Without an answer nobody is named. */
  async #possibleRemovers({ record }: TrackedWorkload): Promise<readonly string[]> {
    const { resource } = workloadKind(record.kind);
    try {
      return possibleRemovers(await getObject(this.#options.client, resource, record.namespace, record.name));
    } catch {
      return [];
    }
  }
}
