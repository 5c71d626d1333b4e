import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { LocalSourceRef, SourceRef } from '../../shared/domain/sources/source';

/** Why a workload waits for another. */
export type Wait =
  /** It names the other, which comes before it for these changes. */
  | { readonly by: 'after' | 'owner'; readonly changes: readonly LocalSourceRef[] }
  /** The other is a user of the same source in a lower wave. */
  | { readonly by: 'wave'; readonly source: SourceRef; readonly wave: number };

/** `waiting` named `blocker`. */
export interface NamedWait {
  readonly waiting: WorkloadKey;
  readonly blocker: WorkloadKey;
}

/** A longer chain is followed no further. It is followed again from each workload in it. */
const maxChain = 1_000;

/**
 * Which workload waits for which other. Each waits for one at a time, the first that is not done, so a circle of
 * workloads that wait for each other for ever is found by following one chain.
 */
export class WaitGraph {
  readonly #blockerOf = new Map<WorkloadKey, { readonly blocker: WorkloadKey; readonly wait: Wait }>();
  readonly #waitingFor = new Map<WorkloadKey, Map<WorkloadKey, Wait>>();
  /**
   * Workloads that one names, and for which it does not wait, because they would wait for each other: with the revision of
   * the settings that say so.
   */
  readonly #dropped = new Map<WorkloadKey, Map<WorkloadKey, number>>();

  /** How many wait. */
  get size(): number {
    return this.#blockerOf.size;
  }

  waitFor(waiting: WorkloadKey, blocker: WorkloadKey, wait: Wait): void {
    this.leave(waiting);
    this.#blockerOf.set(waiting, { blocker, wait });
    const others = this.#waitingFor.get(blocker) ?? new Map<WorkloadKey, Wait>();
    this.#waitingFor.set(blocker, others.set(waiting, wait));
  }

  of(waiting: WorkloadKey): { readonly blocker: WorkloadKey; readonly wait: Wait } | undefined {
    return this.#blockerOf.get(waiting);
  }

  leave(waiting: WorkloadKey): void {
    const blocker = this.#blockerOf.get(waiting)?.blocker;
    if (blocker === undefined) return;
    this.#blockerOf.delete(waiting);
    const others = this.#waitingFor.get(blocker);
    others?.delete(waiting);
    if (others?.size === 0) this.#waitingFor.delete(blocker);
  }

  /** A copy: those that are told may stop waiting meanwhile. */
  waitingFor(blocker: WorkloadKey): readonly (readonly [WorkloadKey, Wait])[] {
    return [...(this.#waitingFor.get(blocker) ?? [])];
  }

  blockers(): readonly WorkloadKey[] {
    return [...this.#waitingFor.keys()];
  }

  /** With these settings, `waiting` does not wait for `blocker`, although it names it. */
  drop(waiting: WorkloadKey, blocker: WorkloadKey, revision: number): void {
    this.#dropped.set(waiting, (this.#dropped.get(waiting) ?? new Map<WorkloadKey, number>()).set(blocker, revision));
  }

  isDropped(waiting: WorkloadKey, blocker: WorkloadKey, revision: number): boolean {
    return this.#dropped.get(waiting)?.get(blocker) === revision;
  }

  forget(waiting: WorkloadKey): void {
    this.leave(waiting);
    this.#dropped.delete(waiting);
  }

  clear(): void {
    this.#blockerOf.clear();
    this.#waitingFor.clear();
    this.#dropped.clear();
  }

  /**
   * The waits by name in the circle that the chain from `key` ends in; none: it ends elsewhere. Waves alone make no
   * circle, so each has one at least.
   */
  circleFrom(key: WorkloadKey): readonly NamedWait[] {
    const chain: WorkloadKey[] = [];
    const places = new Map<WorkloadKey, number>();
    for (let next: WorkloadKey | undefined = key; next !== undefined && chain.length < maxChain;) {
      const place = places.get(next);
      if (place !== undefined) return this.#namedIn(chain.slice(place));
      places.set(next, chain.length);
      chain.push(next);
      next = this.#blockerOf.get(next)?.blocker;
    }
    return [];
  }

  #namedIn(circle: readonly WorkloadKey[]): readonly NamedWait[] {
    return circle.flatMap((waiting) => {
      const link = this.#blockerOf.get(waiting);
      return link && link.wait.by !== 'wave' ? [{ waiting, blocker: link.blocker }] : [];
    });
  }
}
