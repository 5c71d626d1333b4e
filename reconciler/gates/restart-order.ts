import { BoundedMap } from '../../shared/domain/bounded-map';
import { waveOf } from '../../shared/domain/gates/canary-order';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import {
  orderGate,
  predecessorStanding,
  type Predecessor,
  type PredecessorStanding,
} from '../../shared/domain/gates/order-gate';
import { predecessorsOf } from '../../shared/domain/gates/predecessors';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import { namespaceOfWorkload, type TrackedWorkload, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { currentChangeId } from '../../shared/domain/sources/change-id';
import { sourceKey, type LocalSourceRef, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { NamespaceLines } from '../../shared/runtime/log/namespace-lines';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { RollingWorkloads } from './rolling-workloads';
import { WaitGraph } from './wait-graph';
import { WaveFront, type WaveUser } from './wave-front';

export interface RestartOrderOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly workloads: Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'>;
  readonly sources: Pick<SourceIndex, 'get'>;
  readonly rolling: Pick<RollingWorkloads, 'isRolling'>;
  /** Whether a restart for a source is owed to a workload, or may be. */
  readonly owes: (workload: TrackedWorkload, source: LocalSourceRef) => boolean;
  readonly logger: Logger;
  /** The workload waits for nobody any more: look at it again. */
  readonly onTurn: (key: WorkloadKey) => void;
}

/** The waves of one source, as long as nothing about its content and its users changes. */
interface Front {
  readonly source: SourceRef;
  readonly basis: string;
  readonly waves: WaveFront;
}

/** The first user of a source, by waves, that is not done. */
interface Blocker {
  readonly user: WaveUser;
  readonly workload: TrackedWorkload;
  readonly standing: PredecessorStanding;
}

/** Fronts that are kept although nobody waits at them: to build one again costs a look at all users of the source. */
const maxFronts = 1_000;

/** Of one namespace within an hour: nobody reads more, and whoever writes workloads may make as many circles. */
const maxLines = 20;

/** The circles that are known to be told, in bytes. */
const warnedLimits = { maxBytes: 524_288, maxOwnerBytes: 32_768 };

/**
 * The order of restarts for one change: by `reroll.dev/wave` among the users of a source, and by `reroll.dev/after` and
 * controlling owners. What comes before is computed from the objects each time. Only who waits for whom is kept, so that
 * the end of one rollout wakes those that waited for it, and no others.
 */
export class RestartOrder {
  readonly #options: RestartOrderOptions;
  readonly #fronts = new Map<SourceKey, Front>();
  readonly #waits = new WaitGraph();
  readonly #warned = new BoundedMap<string, true>(warnedLimits);
  readonly #lines: NamespaceLines;

  constructor(options: RestartOrderOptions) {
    this.#options = options;
    const { clock, logger } = options;
    this.#lines = new NamespaceLines({ clock, logger, maxLines });
  }

  /** Whether the workload may restart for these changes now; if not, it is woken when it may. */
  ask(workload: TrackedWorkload, changes: readonly LocalSourceRef[]): ClosedGate | undefined {
    const { key } = workload;
    this.#waits.leave(key);
    for (const predecessor of this.#named(workload)) {
      if (this.#isDropped(key, predecessor.workload.key)) continue;
      const standing = this.#standing(predecessor.workload, changes);
      if (standing === 'done') continue;
      this.#waits.waitFor(key, predecessor.workload.key, { by: predecessor.by, changes });
      if (this.#dropCircle(key, key) && this.#isDropped(key, predecessor.workload.key)) {
        this.#waits.leave(key);
        continue;
      }
      return closedBy(predecessor.workload, predecessor.by, standing);
    }
    const wave = waveOf(workload);
    for (const change of changes) {
      const source = { ...change, namespace: workload.record.namespace };
      const blocker = this.#blockerAt(source, wave);
      if (!blocker) continue;
      this.#waits.waitFor(key, blocker.user.key, { by: 'wave', source, wave });
      this.#dropCircle(key, key);
      return closedBy(blocker.workload, { wave: blocker.user.wave }, blocker.standing);
    }
    return undefined;
  }

  /** What a waiting workload waits for now; undefined: it does not wait, or no longer. */
  told(key: WorkloadKey): ClosedGate | undefined {
    const link = this.#waits.of(key);
    const blocker = link && this.#options.workloads.get(link.blocker);
    if (!blocker) return undefined;
    const { wait } = link;
    if (wait.by !== 'wave') return closedBy(blocker, wait.by, this.#standing(blocker, wait.changes));
    return closedBy(blocker, { wave: waveOf(blocker) }, this.#standingInWave(blocker, wait.source));
  }

  /** A workload was looked at, or rolls on, or is gone: those that wait for it may go on. */
  changed(key: WorkloadKey): void {
    const woken: WorkloadKey[] = [];
    let moved = false;
    const blockers = new Map<SourceKey, Blocker | undefined>();
    for (const [waiting, wait] of this.#waits.waitingFor(key)) {
      if (wait.by !== 'wave') {
        const predecessor = this.#options.workloads.get(key);
        if (!predecessor || this.#standing(predecessor, wait.changes) === 'done') woken.push(waiting);
        continue;
      }
      const id = sourceKey(wait.source);
      if (!blockers.has(id)) blockers.set(id, this.#firstAt(wait.source));
      const blocker = blockers.get(id);
      if (!blocker || blocker.user.wave >= wait.wave) woken.push(waiting);
      else if (blocker.user.key !== key) {
        this.#waits.waitFor(waiting, blocker.user.key, wait);
        moved = true;
      }
    }
    if (moved) for (const blocker of blockers.values()) if (blocker) this.#dropCircle(blocker.user.key);
    for (const waiting of woken) {
      this.#waits.leave(waiting);
      this.#options.onTurn(waiting);
    }
  }

  /** Looks whether something was missed. */
  recheck(): void {
    for (const key of this.#waits.blockers()) this.changed(key);
  }

  /** It waits for nobody any more, and what was dropped for it counts again. */
  forget(key: WorkloadKey): void {
    this.#waits.forget(key);
  }

  leave(key: WorkloadKey): void {
    this.#waits.leave(key);
  }

  clear(): void {
    this.#fronts.clear();
    this.#waits.clear();
  }

  /** Whether anybody waits for another. */
  get isWaiting(): boolean {
    return this.#waits.size > 0;
  }

  /** Its predecessors, as far as Reroll tracks them. */
  *#named(waiting: TrackedWorkload): Generator<{ workload: TrackedWorkload; by: 'after' | 'owner' }> {
    for (const { key, by } of predecessorsOf(waiting)) {
      const workload = this.#options.workloads.get(key);
      if (workload) yield { workload, by };
    }
  }

  #standing(predecessor: TrackedWorkload, changes: readonly LocalSourceRef[]): PredecessorStanding {
    const { owes, rolling } = this.#options;
    const isOwing = changes.some((change) => owes(predecessor, change));
    const { state } = predecessor.record.progress;
    return predecessorStanding(isOwing, rolling.isRolling(predecessor.key) ? 'rolling' : state);
  }

  /** The user of a lower wave that has yet to restart for the source, or to roll out since. */
  #blockerAt(source: SourceRef, wave: number): Blocker | undefined {
    const first = this.#firstAt(source);
    return first && first.user.wave < wave ? first : undefined;
  }

  #firstAt(source: SourceRef): Blocker | undefined {
    let found: { workload: TrackedWorkload; standing: PredecessorStanding } | undefined;
    const user = this.#front(source).waves.first(({ key }) => {
      const workload = this.#options.workloads.get(key);
      if (!workload) return true;
      const standing = this.#standingInWave(workload, source);
      found = { workload, standing };
      return standing === 'done';
    });
    return user && found && { user, ...found };
  }

  /** How its pods are counts only since it restarted for the change: it may have been broken for months. */
  #standingInWave(workload: TrackedWorkload, source: SourceRef): PredecessorStanding {
    const { lastRestart } = workload.record;
    const standing = this.#standing(workload, [source]);
    if (standing === 'owes') return standing;
    if (!lastRestart) return 'done';
    const record = this.#options.sources.get(source);
    if (lastRestart.atMs >= (record?.writtenAtMs ?? 0)) return standing;
    // An edit of a label is a later write, too.
    const id = currentChangeId(source, record);
    return id !== undefined && lastRestart.changeIds?.includes(id) === true ? standing : 'done';
  }

  #front(source: SourceRef): Front {
    const { workloads, sources } = this.#options;
    const id = sourceKey(source);
    const basis = `${workloads.revisionOf(source.namespace)} ${sources.get(source)?.resourceVersion ?? ''}`;
    const known = this.#fronts.get(id);
    if (known?.basis === basis) return known;
    const users = workloads.usersOf(source).map((user) => ({ key: user.key, wave: waveOf(user) }));
    const front = { source, basis, waves: new WaveFront(users) };
    this.#fronts.delete(id);
    this.#fronts.set(id, front);
    for (const oldest of this.#fronts.keys()) {
      if (this.#fronts.size <= maxFronts) break;
      this.#fronts.delete(oldest);
    }
    return front;
  }

  /**
   * Workloads that would wait for each other for ever wait no longer for those that their annotations name. `asking` is
   * looked at anyway.
   */
  #dropCircle(key: WorkloadKey, asking?: WorkloadKey): boolean {
    const circle = this.#waits.circleFrom(key);
    for (const { waiting, blocker } of circle) {
      this.#waits.drop(waiting, blocker, this.#revisionOf(waiting));
      this.#warn(waiting, blocker);
      if (waiting === asking) continue;
      this.#waits.leave(waiting);
      this.#options.onTurn(waiting);
    }
    return circle.length > 0;
  }

  #isDropped(waiting: WorkloadKey, blocker: WorkloadKey): boolean {
    return this.#waits.isDropped(waiting, blocker, this.#revisionOf(waiting));
  }

  /** Another number as soon as an annotation may have opened the circle. */
  #revisionOf(key: WorkloadKey): number {
    return this.#options.workloads.revisionOf(namespaceOfWorkload(key));
  }

  #warn(waiting: WorkloadKey, blocker: WorkloadKey): void {
    const { workloads } = this.#options;
    const [later, earlier] = [workloads.get(waiting), workloads.get(blocker)];
    const id = `${waiting} ${blocker}`;
    if (!later || !earlier || this.#warned.use(id)) return;
    const { namespace } = later.record;
    this.#warned.set(id, true, 2 * id.length, namespace);
    const [name, named] = [describeWorkload(later.record), describeWorkload(earlier.record)];
    this.#lines.warn(
      `${name} comes after ${named}, which in the end waits for it too, by reroll.dev/after, reroll.dev/wave or its owner: ` +
        'neither waits for the other; remove one of these annotations',
      namespace,
      { workload: name },
    );
  }
}

function closedBy(
  { record: { kind, name } }: TrackedWorkload,
  by: Predecessor['by'],
  standing: PredecessorStanding,
): ClosedGate | undefined {
  return orderGate([{ kind, name, by, standing }]);
}
