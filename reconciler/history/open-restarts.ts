import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import { assertNever } from '../../shared/domain/errors';
import { workloadKey, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { formatDuration } from '../../shared/domain/text/duration';
import type { RolloutHealth } from '../../shared/domain/workloads/rollout-health';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { HistoryTarget } from './history-entry';
import type { ShownRestarts, ShownRestart } from './shown-restarts';
import { followedForMs } from './shown-restarts';

/** A restart whose end is awaited. */
export interface OpenRestart {
  readonly id: string;
  readonly atMs: number;
  readonly target: HistoryTarget;
  /** When the pods may begin to be replaced, if the restart also paused the Deployment. */
  readonly heldUntilMs?: number;
}

/** How a restart ended, and why if that needs a reason. */
export interface Conclusion {
  readonly outcome: 'healthy' | 'unhealthy' | 'superseded' | 'unknown';
  readonly reason?: string;
}

export interface OpenRestartsOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'timer'>;
  readonly shown: Pick<ShownRestarts, 'get'>;
  readonly onEnd: (restart: OpenRestart, conclusion: Conclusion) => void;
}

interface Followed {
  readonly restart: OpenRestart;
  readonly timer: Timer | undefined;
  /** It has ended, and its pods are still not well. */
  readonly isUnhealthy: boolean;
}

/** Estimated size of a followed restart without its texts. */
const followedBytes = 400;

/** The restarts that this leader follows until it knows how they end: one of each workload, the last. */
export class OpenRestarts {
  readonly #options: OpenRestartsOptions;
  readonly #followed = new BoundedMap<WorkloadKey, Followed>(
    { maxBytes: budgets.followedBytes, maxOwnerBytes: budgets.followedNamespaceBytes },
    (_key, followed) => this.#end(followed, { outcome: 'unknown', reason: 'too many restarts were followed at once' }),
  );

  constructor(options: OpenRestartsOptions) {
    this.#options = options;
  }

  begin(restart: OpenRestart): void {
    const { clock, shown } = this.#options;
    const { atMs, heldUntilMs = atMs, target } = restart;
    const key = keyOf(target);
    this.#drop(key, { outcome: 'superseded' });
    const afterMs = Math.max(atMs, heldUntilMs) + followedForMs(target.kind) - clock.nowMs();
    const timer = clock.timer(Math.max(0, afterMs), () => this.#overdue(key));
    const bytes = followedBytes + 2 * key.length;
    this.#followed.set(key, { restart, timer, isUnhealthy: false }, bytes, target.namespace);
    const seen = shown.get(target.uid);
    if (seen) this.look(seen);
  }

  /** A watch shows how a restart stands. */
  look({ target, restart: { id }, health }: ShownRestart): void {
    const key = keyOf(target);
    const followed = this.#followed.get(key);
    if (!followed || !isOf(followed, target, id)) return;
    const conclusion = conclusionFrom(health);
    if (!conclusion) return;
    if (conclusion.outcome !== 'unhealthy') this.#drop(key, conclusion);
    else if (!followed.isUnhealthy) this.#unhealthy(key, followed, conclusion);
  }

  /** The workload is deleted, or nothing may restart it any more. A Job that is recreated comes back. */
  gone(key: WorkloadKey, uid: string): void {
    const target = this.#followed.get(key)?.restart.target;
    if (target?.uid === uid && target.kind !== 'Job') {
      this.#drop(key, { outcome: 'unknown', reason: 'the workload is gone, or asks for no restarts any more' });
    }
  }

  has(key: WorkloadKey, id: string): boolean {
    return this.#followed.get(key)?.restart.id === id;
  }

  /** The restart since which the pods of a workload are not well. */
  unhealthySince(key: WorkloadKey): OpenRestart | undefined {
    const followed = this.#followed.get(key);
    return followed?.isUnhealthy ? followed.restart : undefined;
  }

  /** The term has ended: the next leader follows them. */
  clear(): void {
    for (const [key, { timer }] of this.#followed.entries()) {
      timer?.cancel();
      this.#followed.delete(key);
    }
  }

  #overdue(key: WorkloadKey): void {
    const followed = this.#followed.get(key);
    if (!followed) return;
    const { target, id, atMs } = followed.restart;
    const seen = this.#options.shown.get(target.uid);
    const after = formatDuration(Math.round((this.#options.clock.nowMs() - atMs) / 1_000) * 1_000);
    if (!seen || seen.restart.id !== id || !('missing' in seen.health)) {
      this.#drop(key, { outcome: 'unknown', reason: `no watch has shown it after ${after}` });
      return;
    }
    const { missing, state } = seen.health;
    const reason = `${missing} after ${after}`;
    const isJudgedByUs = state === 'rolling' && (target.kind === 'StatefulSet' || target.kind === 'DaemonSet');
    if (isJudgedByUs) this.#unhealthy(key, followed, { outcome: 'unhealthy', reason });
    else if (!followed.isUnhealthy) this.#drop(key, { outcome: 'unknown', reason });
  }

  /** It stays, so that people who ask are told, until its pods are well. */
  #unhealthy(key: WorkloadKey, { restart, timer }: Followed, conclusion: Conclusion): void {
    timer?.cancel();
    const bytes = followedBytes + 2 * key.length;
    this.#followed.set(key, { restart, timer: undefined, isUnhealthy: true }, bytes, restart.target.namespace);
    this.#options.onEnd(restart, conclusion);
  }

  #drop(key: WorkloadKey, conclusion: Conclusion): void {
    const followed = this.#followed.get(key);
    if (!followed) return;
    this.#followed.delete(key);
    this.#end(followed, conclusion);
  }

  #end({ restart, timer, isUnhealthy }: Followed, conclusion: Conclusion): void {
    timer?.cancel();
    // That it was not well in time stays true.
    if (!isUnhealthy) this.#options.onEnd(restart, conclusion);
  }
}

function isOf({ restart }: Followed, { uid }: HistoryTarget, id: string): boolean {
  return restart.target.uid === uid && restart.id === id;
}

function conclusionFrom(health: RolloutHealth): Conclusion | undefined {
  switch (health.state) {
    case 'healthy':
      return { outcome: 'healthy' };
    case 'failed':
      return { outcome: 'unhealthy', reason: health.missing };
    case 'unknown':
      return { outcome: 'unknown', reason: 'nothing but a person replaces its pods' };
    case 'rolling':
    case 'held':
      return undefined;
    default:
      return assertNever(health, 'health of a rollout');
  }
}

export function keyOf({ kind, namespace, name }: HistoryTarget): WorkloadKey {
  return workloadKey(kind, namespace, name);
}
