import type { Rolling } from '../../shared/domain/gates/max-rolling-gate';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { LastRestart } from '../../shared/domain/workloads/last-restart';
import { pausedForMs } from '../../shared/domain/workloads/pause';
import { rollsOut } from '../../shared/domain/workloads/rollout-progress';
import type { Clock } from '../../shared/runtime/clock';

export interface RollingWorkloadsOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Something that rolled counts no more, or counts less. */
  readonly onFreed: () => void;
}

interface Slot {
  readonly key: WorkloadKey;
  readonly uid: string;
  readonly namespace: string;
  readonly nodePool: string | undefined;
  readonly pods: number;
  /**
   * False: it takes nothing from any limit, because a restart of it is no rollout, as that of a Job, or because Reroll
   * holds it paused for longer than {@link rollingForMs}.
   */
  readonly rolls: boolean;
  /** Undefined: it holds a place, and has not restarted yet. */
  readonly restart: LastRestart | undefined;
  /** Whether Reroll holds it paused. Whoever pauses it again after that does not prolong for how long it counts. */
  readonly pause: 'none' | 'lasts' | 'over';
  /** Of a place: the restart before, which counts again when its pause ends, if this look begins no other. */
  readonly before?: Slot;
}

type Counts = { workloads: number; pods: number };

/**
 * A workload that does not become ready must not keep others from restarting for longer: the default progress deadline
 * of a Deployment.
 */
export const rollingForMs = 600_000;

/** The previous leader may have restarted workloads until then, by clocks that may differ. */
export const clockSkewMs = 10_000;

const none: Rolling = { workloads: 0, pods: 0 };

/**
 * The workloads that Reroll restarted and that have yet to roll out, as `kubectl rollout status` tells it, and those
 * that are about to be. What the workloads themselves tell counts once, when a term begins: whoever writes a workload
 * may write that Reroll has restarted it, and would take the place of others.
 */
export class RollingWorkloads {
  readonly #options: RollingWorkloadsOptions;
  /** Those that restarted first come first; places are among them. */
  readonly #slots = new Map<WorkloadKey, Slot>();
  readonly #namespaces = new Map<string, Map<WorkloadKey, Slot>>();
  readonly #inNamespace = new Map<string, Counts>();
  readonly #inNodePool = new Map<string, Counts>();
  readonly #inCluster: Counts = { workloads: 0, pods: 0 };
  /** Those that are about to restart, also if they still roll. */
  readonly #places = new Set<WorkloadKey>();
  #termBeganMs: number | undefined;

  constructor(options: RollingWorkloadsOptions) {
    this.#options = options;
  }

  /** A term begins. What the leader before it restarted still counts. */
  begin(tracked: Iterable<TrackedWorkload>): void {
    this.end();
    this.#termBeganMs = this.#options.clock.nowMs();
    const restarted = [...tracked].filter(({ record }) => record.lastRestart);
    restarted.sort((left, right) => restartedAtMs(left) - restartedAtMs(right));
    for (const workload of restarted) this.saw(workload);
  }

  end(): void {
    this.#termBeganMs = undefined;
    this.#slots.clear();
    this.#namespaces.clear();
    this.#inNamespace.clear();
    this.#inNodePool.clear();
    this.#places.clear();
    this.#inCluster.workloads = this.#inCluster.pods = 0;
  }

  get inCluster(): Rolling {
    return this.#inCluster;
  }

  inNamespace(namespace: string): Rolling {
    return this.#inNamespace.get(namespace) ?? none;
  }

  inNodePool(nodePool: string): Rolling {
    return this.#inNodePool.get(nodePool) ?? none;
  }

  /** Of one namespace, those for which `counts` is true. */
  among(namespace: string, counts: (key: WorkloadKey) => boolean): Rolling {
    const found = { workloads: 0, pods: 0 };
    for (const { key, pods, rolls } of this.#namespaces.get(namespace)?.values() ?? []) {
      if (!rolls || !counts(key)) continue;
      found.workloads++;
      found.pods += pods;
    }
    return found;
  }

  /** What the workload itself takes. */
  of(key: WorkloadKey): Rolling {
    const slot = this.#slots.get(key);
    return slot?.rolls ? { workloads: 1, pods: slot.pods } : none;
  }

  /** Whether its last restart by this leader, or by the one before, has yet to roll out. */
  isRolling(key: WorkloadKey): boolean {
    const slot = this.#slots.get(key);
    return slot?.restart !== undefined && slot.pause !== 'lasts';
  }

  /** Whether the workload is about to restart. */
  holdsPlace(key: WorkloadKey): boolean {
    return this.#places.has(key);
  }

  /** How many are about to restart. */
  get places(): number {
    return this.#places.size;
  }

  /** How many of a namespace are about to restart. */
  placesIn(namespace: string): number {
    let places = 0;
    for (const key of this.#namespaces.get(namespace)?.keys() ?? []) if (this.#places.has(key)) places++;
    return places;
  }

  /** The workload may restart, and counts from now on. */
  take(workload: TrackedWorkload): void {
    this.#places.add(workload.key);
    const before = this.#slots.get(workload.key);
    if (!before?.rolls) this.#set({ ...slotOf(workload, undefined), ...(before?.restart && { before }) });
  }

  /** Its look is over. If it has restarted, it counts until it is rolled out. */
  giveBack(key: WorkloadKey): void {
    this.#places.delete(key);
    const slot = this.#slots.get(key);
    if (slot && !slot.restart) this.#leave(slot);
  }

  /** The write of its restart is about to be sent. Call what is returned if it is not stored, or rolls nothing. */
  began(workload: TrackedWorkload, restart: LastRestart): () => void {
    const { key } = workload;
    const known = this.#slots.get(key);
    if (!rollsOut(workload.record)) {
      this.giveBack(key);
      return () => undefined;
    }
    const slot = slotOf(workload, restart);
    this.#places.delete(key);
    this.#set(slot);
    return () => {
      if (this.#slots.get(key) !== slot) return;
      if (known?.restart) this.#replace(slot, known);
      else this.#leave({ ...slot, ...(known?.before && { before: known.before }) });
    };
  }

  /** The index shows the workload. Called for each of its updates. */
  saw({ key, record }: TrackedWorkload): void {
    const known = this.#slots.get(key);
    const { lastRestart, progress } = record;
    // It rolls as soon as the pause ends, so until then it keeps its place.
    const isPaused = progress.state === 'held' && pausedForMs(record.pause, this.#options.clock.nowMs()) !== undefined;
    const isUnderWay = isPaused || progress.state === 'rolling';
    if (!known?.restart) {
      if (!known && isUnderWay && rollsOut(record) && this.#isOfLeaderBefore(lastRestart, isPaused)) {
        const slot = slotOf({ key, record }, lastRestart, isPaused ? undefined : progress.pendingPods);
        this.#set({ ...slot, pause: isPaused ? 'lasts' : 'none' });
      }
      return;
    }
    const isOther = known.uid !== record.uid;
    // A state of before the restart, or one that lost the note of it.
    const isOlder = !lastRestart || (lastRestart.id !== known.restart.id && lastRestart.atMs <= known.restart.atMs);
    if (isOlder && !isOther) return;
    if (isOther || !isUnderWay) this.#free(known);
    else if (!isPaused) this.#rolls(known, known.restart, progress.pendingPods);
    else if (known.pause === 'none') this.#replace(known, { ...known, pause: 'lasts' });
  }

  gone(key: WorkloadKey): void {
    this.#places.delete(key);
    const slot = this.#slots.get(key);
    if (slot) this.#free(slot);
  }

  /** Those that take too long count no more. Returns when the next of them will, by the wall clock. */
  expire(): number {
    const nowMs = this.#options.clock.nowMs();
    for (const slot of this.#slots.values()) {
      if (!slot.restart || !slot.rolls) continue;
      const endsMs = slot.restart.atMs + rollingForMs;
      // A clock that was set back must not keep it for longer.
      if (endsMs > nowMs && slot.restart.atMs <= nowMs + clockSkewMs) return endsMs;
      this.#free(slot, slot.pause === 'lasts');
    }
    return Infinity;
  }

  #isOfLeaderBefore(restart: LastRestart | undefined, isPaused: boolean): restart is LastRestart {
    if (!restart || this.#termBeganMs === undefined) return false;
    // A pause may last for hours. It is believed as long as a rollout that began with the term would be.
    const knownSinceMs = isPaused ? this.#termBeganMs : restart.atMs;
    return restart.atMs <= this.#termBeganMs + clockSkewMs && this.#options.clock.nowMs() < knownSinceMs + rollingForMs;
  }

  #rolls(known: Slot, restart: LastRestart, pods: number): void {
    // It only begins to roll now, and counts also if more do by now than may.
    if (known.pause === 'lasts') {
      const resumed = { ...restart, atMs: this.#options.clock.nowMs() };
      this.#set({ ...known, pods, rolls: true, restart: resumed, pause: 'over' });
    } else if (pods !== known.pods) {
      this.#replace(known, { ...known, pods });
      if (pods < known.pods) this.#options.onFreed();
    }
  }

  #set(slot: Slot): void {
    const known = this.#slots.get(slot.key);
    if (known) this.#remove(known);
    this.#put(slot);
  }

  /** Keeps its place among the others. */
  #replace(known: Slot, slot: Slot): void {
    this.#count(known, -1);
    this.#put(slot);
  }

  #put(slot: Slot): void {
    this.#slots.set(slot.key, slot);
    this.#slotsOf(slot.namespace).set(slot.key, slot);
    this.#count(slot, 1);
  }

  /** It does not restart after all. */
  #leave(slot: Slot): void {
    if (!slot.before) {
      this.#free(slot);
      return;
    }
    this.#replace(slot, slot.before);
    this.#options.onFreed();
  }

  /** If it is about to restart again, it counts on. `isPaused`: it counts again when its pause ends. */
  #free(slot: Slot, isPaused = false): void {
    if (this.#places.has(slot.key)) {
      this.#replace(slot, { ...slot, restart: undefined, ...(isPaused && { before: { ...slot, rolls: false } }) });
      return;
    }
    if (isPaused) this.#replace(slot, { ...slot, rolls: false });
    else this.#remove(slot);
    this.#options.onFreed();
  }

  #remove(slot: Slot): void {
    this.#slots.delete(slot.key);
    const others = this.#slotsOf(slot.namespace);
    others.delete(slot.key);
    if (others.size === 0) this.#namespaces.delete(slot.namespace);
    this.#count(slot, -1);
  }

  #slotsOf(namespace: string): Map<WorkloadKey, Slot> {
    let slots = this.#namespaces.get(namespace);
    if (!slots) this.#namespaces.set(namespace, (slots = new Map<WorkloadKey, Slot>()));
    return slots;
  }

  #count({ namespace, nodePool, pods, rolls }: Slot, sign: 1 | -1): void {
    if (!rolls) return;
    add(this.#inCluster, pods, sign);
    countIn(this.#inNamespace, namespace, pods, sign);
    if (nodePool !== undefined) countIn(this.#inNodePool, nodePool, pods, sign);
  }
}

function slotOf(
  { key, record }: Pick<TrackedWorkload, 'key' | 'record'>,
  restart: LastRestart | undefined,
  pods = Math.max(1, record.progress.pods),
): Slot {
  const { uid, namespace, nodePool } = record;
  return { key, uid, namespace, nodePool, pods, rolls: rollsOut(record), restart, pause: 'none' };
}

function restartedAtMs({ record }: TrackedWorkload): number {
  return record.lastRestart?.atMs ?? 0;
}

function countIn(counts: Map<string, Counts>, scope: string, pods: number, sign: 1 | -1): void {
  const count = counts.get(scope) ?? { workloads: 0, pods: 0 };
  add(count, pods, sign);
  if (count.workloads === 0) counts.delete(scope);
  else counts.set(scope, count);
}

function add(count: Counts, pods: number, sign: 1 | -1): void {
  count.workloads += sign;
  count.pods += sign * pods;
}
