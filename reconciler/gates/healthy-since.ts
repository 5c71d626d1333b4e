import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { RolloutProgress } from '../../shared/domain/workloads/rollout-progress';
import type { Clock } from '../../shared/runtime/clock';

type State = RolloutProgress['state'];

/** Since when workloads have been healthy without a break, each after one of its restarts. */
export class HealthySince {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #known = new Map<WorkloadKey, { readonly id: string; readonly sinceMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** A workload is in this state, or gone. */
  shown(key: WorkloadKey, state: State | undefined): void {
    if (!isHealthy(state)) this.#known.delete(key);
  }

  /** By the monotonic clock, for the restart with this id; undefined: it is not healthy now. */
  sinceMs(key: WorkloadKey, id: string, state: State): number | undefined {
    this.shown(key, state);
    if (!isHealthy(state)) return undefined;
    const known = this.#known.get(key);
    const sinceMs = known?.id === id ? known.sinceMs : this.#clock.monotonicMs();
    this.#known.set(key, { id, sinceMs });
    return sinceMs;
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Of some kinds nothing shows how their pods are. */
function isHealthy(state: State | undefined): boolean {
  return state === 'healthy' || state === 'unknown';
}
