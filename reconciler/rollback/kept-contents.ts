import { contentFieldsOf, isSameContent } from '../../shared/domain/rollback/content-fields';
import { whyNotRestorable } from '../../shared/domain/rollback/restorable';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { changeId } from '../../shared/domain/sources/change-id';
import { sourceKey, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import { mayProve } from '../../shared/domain/workloads/rollout-progress';
import type { Clock } from '../../shared/runtime/clock';
import type { QueueResult } from '../queue/key-queue';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { KeptStore } from './kept-store';
import { isAsShown, type KeptSource, type StoredSources } from './stored-source';

export interface KeptContentsOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** How long all users must be healthy with a content before it is kept. */
  readonly healthyForMs: number;
  readonly workloads: Pick<WorkloadIndex, 'usersOf'>;
  readonly contents: Pick<StoredSources, 'read'>;
  readonly store: Pick<KeptStore, 'read' | 'write'>;
  /** Whether a workload that uses the source asks for restarts when it changes: others may run with any of its contents. */
  readonly asksFor: (workload: TrackedWorkload, source: SourceRef) => boolean;
  /** Whether a restart for the source is owed to the workload, or may be. */
  readonly owes: (workload: TrackedWorkload, source: SourceRef) => boolean;
  /** Whether those that restarted first have yet to prove the content. The stages alone know of their health checks. */
  readonly isJudging: (source: SourceRef) => boolean;
}

/** Nothing reports that the content has proved itself, so it is looked at again. Such a look sends no request. */
const judgedLookMs = 5_000;

const done: QueueResult = { kind: 'done' };

/** Keeps the content of a source once all of its users have it and are healthy. */
export class KeptContents {
  readonly #options: KeptContentsOptions;
  /** Which content is kept, as far as this process has seen to it. */
  readonly #kept = new Map<SourceKey, string>();
  /** The version in which a source must not be put back. A later one may lack the owner that forbade it. */
  readonly #notRestorable = new Map<SourceKey, string>();
  /** Since when all users are seen to be healthy without a break, by the monotonic clock, and with which content. */
  readonly #healthy = new Map<SourceKey, { readonly content: string; readonly sinceMs: number }>();

  constructor(options: KeptContentsOptions) {
    this.#options = options;
  }

  /** Keeps the content if it has proved itself. @throws KubeErrors, NotLeadingError, NameTakenError */
  async keep(source: KeptSource): Promise<QueueResult> {
    const { contents, store, clock } = this.#options;
    const key = sourceKey(source);
    const content = contentId(source);
    if (this.#kept.get(key) === content || this.#notRestorable.get(key) === source.resourceVersion) return done;
    const leftMs = this.#untilProvedMs(source);
    if (leftMs === undefined) return done;
    if (leftMs > 0) return { kind: 'again', afterMs: leftMs };
    const stored = await contents.read(source);
    if (!stored || !isAsShown(stored, source)) return done;
    if (whyNotRestorable(stored.object) !== undefined) {
      this.#notRestorable.set(key, source.resourceVersion);
      this.#healthy.delete(key);
      return done;
    }
    const kept = await store.read('good', source.kind, stored.object);
    if (typeof kept !== 'object' || !isSameContent(kept.fields, contentFieldsOf(stored.object))) {
      // The reads take a while, and a user may have become unhealthy meanwhile, or a check may not pass any more.
      if (this.#untilProvedMs(source) !== 0) return { kind: 'again', afterMs: 0 };
      const note = { change: changeId(source.uid, source.content.whole()), at: new Date(clock.nowMs()).toISOString() };
      await store.write('good', source.kind, stored.object, note);
    }
    this.#kept.set(key, content);
    this.#healthy.delete(key);
    return done;
  }

  /** A user of the source is not healthy. */
  interrupt(source: SourceKey): void {
    this.#healthy.delete(source);
  }

  forget(source: SourceKey): void {
    this.#kept.delete(source);
    this.#notRestorable.delete(source);
    this.#healthy.delete(source);
  }

  clear(): void {
    this.#kept.clear();
    this.#notRestorable.clear();
    this.#healthy.clear();
  }

  /** 0: the content has proved itself. Undefined: not all users have it and are healthy. */
  #untilProvedMs(source: KeptSource): number | undefined {
    const { clock, healthyForMs, isJudging } = this.#options;
    const key = sourceKey(source);
    if (!this.#areAllHealthy(source)) {
      this.#healthy.delete(key);
      return undefined;
    }
    const [content, nowMs] = [contentId(source), clock.monotonicMs()];
    const known = this.#healthy.get(key);
    const sinceMs = known?.content === content ? known.sinceMs : nowMs;
    this.#healthy.set(key, { content, sinceMs });
    return Math.max(isJudging(source) ? judgedLookMs : 0, sinceMs + healthyForMs - nowMs);
  }

  #areAllHealthy(source: KeptSource): boolean {
    const { workloads, asksFor, owes } = this.#options;
    const users = workloads.usersOf(source).filter((user) => !user.record.deleting && asksFor(user, source));
    // If it has broken those that have it, and they are scaled to 0, nobody is unhealthy any more.
    return (
      users.some(({ record }) => mayProve(record)) && users.every((user) => hasProved(user) && !owes(user, source))
    );
  }
}

/** Whether its pods have what is recorded, and are healthy. Of some kinds, no status shows it. */
export function hasProved({ record: { progress }, baseline }: TrackedWorkload): boolean {
  return baseline !== undefined && (progress.state === 'healthy' || progress.state === 'unknown');
}

function contentId({ uid, content }: KeptSource): string {
  return `${uid} ${content.whole()}`;
}
