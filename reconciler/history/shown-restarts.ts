import { annotation, annotationsOf, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { LastRestart } from '../../shared/domain/workloads/last-restart';
import { rolloutHealth, type RolloutHealth } from '../../shared/domain/workloads/rollout-health';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Clock } from '../../shared/runtime/clock';
import type { HistoryTarget } from './history-entry';

/** A restart of late, as the watches show it. */
export interface ShownRestart {
  readonly target: HistoryTarget;
  readonly restart: LastRestart;
  /** `reroll.dev/last-restart`; undefined if it is longer than it is worth. */
  readonly told: string | undefined;
  readonly health: RolloutHealth;
}

export interface ShownRestartsOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A restart appeared, or its health changed. */
  readonly onShown: (shown: ShownRestart) => void;
}

const [minuteMs, hourMs] = [60_000, 60 * 60_000];

/**
 * How long a restart is followed. The controllers of some kinds judge themselves when a rollout has failed, ten minutes
 * after its last progress by default; those of the others never do.
 */
const followedMs: Readonly<Record<WorkloadKindName, number>> = {
  ...{ Deployment: hourMs, DeploymentConfig: hourMs, Rollout: hourMs },
  ...{ StatefulSet: 10 * minuteMs, DaemonSet: 10 * minuteMs, Job: 10 * minuteMs, CronJob: 0 },
};

export function followedForMs(kind: WorkloadKindName): number {
  return followedMs[kind];
}

const maxToldLength = 2_048;
/** Estimated size of an entry without its texts. */
const shownBytes = 400;

/**
 * What the watches show of the restarts of the last hour. Every replica keeps it, so that the next leader knows how the
 * restarts of the one before ended. The annotation tells which workloads that are: whoever writes a workload may write
 * it too, so nothing is told of it unless this leader made the restart, or begins.
 */
export class ShownRestarts {
  readonly #options: ShownRestartsOptions;
  /** By uid. */
  readonly #shown = new BoundedMap<string, ShownRestart>({
    maxBytes: budgets.followedBytes,
    maxOwnerBytes: budgets.followedNamespaceBytes,
  });

  constructor(options: ShownRestartsOptions) {
    this.#options = options;
  }

  /** Called for each workload of each list and watch event: nearly all were not restarted of late. */
  saw(record: WorkloadRecord, object: unknown): void {
    const { lastRestart, uid } = record;
    if (!lastRestart) return;
    const known = this.#shown.get(uid);
    if (!known && this.#options.clock.nowMs() - lastRestart.atMs > followedMs[record.kind]) return;
    if (known?.restart.id === lastRestart.id && isOver(known.health)) return;
    const { kind, namespace, name } = record;
    const health = rolloutHealth(kind, object);
    if (known?.restart.id === lastRestart.id && isSame(known.health, health)) return;
    const text = annotation(annotationsOf(object), ownAnnotations.lastRestart) ?? '';
    const told = text.length > maxToldLength ? undefined : text;
    const shown = { target: { kind, namespace, name, uid }, restart: lastRestart, told, health };
    this.#shown.set(uid, shown, shownBytes + name.length + (told?.length ?? 0), namespace);
    this.#forgetOver();
    this.#options.onShown(shown);
  }

  get(uid: string): ShownRestart | undefined {
    return this.#shown.get(uid);
  }

  all(): readonly ShownRestart[] {
    return Array.from(this.#shown.entries(), ([, shown]) => shown);
  }

  /** The workload is deleted. */
  forget(uid: string): void {
    this.#shown.delete(uid);
  }

  /** One that has failed stays until its pods are well, or the workload is gone. */
  #forgetOver(): void {
    const sinceMs = this.#options.clock.nowMs() - hourMs;
    for (const [uid, { restart, health }] of this.#shown.entries()) {
      if (restart.atMs > sinceMs) return;
      if (isOver(health)) this.#shown.delete(uid);
    }
  }
}

function isOver({ state }: RolloutHealth): boolean {
  return state === 'healthy' || state === 'unknown';
}

function isSame(left: RolloutHealth, right: RolloutHealth): boolean {
  const missing = (health: RolloutHealth): string => ('missing' in health ? health.missing : '');
  return left.state === right.state && missing(left) === missing(right);
}
