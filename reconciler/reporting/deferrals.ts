import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import { namedFirst, type Attribution } from '../../shared/domain/plan/attribution';
import type { Change } from '../../shared/domain/plan/change';
import { describeChange, describeChanges, describeWorkload } from '../../shared/domain/plan/describe-change';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { textDigest } from '../../shared/domain/sources/content-digest';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { Logger } from '../../shared/runtime/log/logger';
import { attributionFields } from './audit';
import { regardingWorkload } from './regarding';

export interface DeferralsOptions {
  readonly logger: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Reports restarts that may not begin yet: once for each change and each gate, however often they are looked at. */
export class Deferrals {
  readonly #options: DeferralsOptions;
  /** What was last reported of each workload that waits, as a digest. */
  readonly #reported = new Map<WorkloadKey, string>();
  /** The last digest. Of ten thousand restarts that one hold defers, the digests are equal, and they share this string. */
  #lastReported = '';
  /** Who made the changes, by the id of each. Elsewhere that is forgotten after minutes, and a hold may last for weeks. */
  readonly #authors = new BoundedMap<WorkloadKey, ReadonlyMap<string, Attribution>>({
    maxBytes: budgets.deferredBytes,
    maxOwnerBytes: budgets.deferredNamespaceBytes,
  });

  constructor(options: DeferralsOptions) {
    this.#options = options;
  }

  deferred({ key, record }: TrackedWorkload, changes: readonly Change[], { gate, untilMs, detail }: ClosedGate): void {
    this.#remember(key, record.namespace, changes);
    // Which of many comes before it, and which limit is full, changes all the time while it waits for its turn.
    const reason = gate === 'order' || gate === 'stages' || gate === 'pace' ? gate : detail;
    const reported = textDigest([reason, ...changes.map(({ changeId }) => changeId)].join('\n'));
    if (this.#reported.get(key) === reported) return;
    if (this.#lastReported !== reported) this.#lastReported = reported;
    this.#reported.set(key, this.#lastReported);
    const workload = describeWorkload(record);
    const until = untilMs === undefined ? undefined : new Date(untilMs).toISOString();
    const when = until === undefined ? '' : ` until ${until}`;
    this.#options.logger.info(`${workload} not restarted yet: deferred${when} (${detail})`, {
      ...{ workload, gate, ...(until !== undefined && { until }) },
      because: changes.map(describeChange),
      sources: changes.map(({ id }) => id),
      changes: changes.map(({ changeId }) => changeId),
      ...attributionFields(changes),
    });
    void this.#options.events.record({
      regarding: regardingWorkload(record),
      type: 'Normal',
      reason: 'ReloadDeferred',
      message: `deferred${when} (${detail}). ${describeChanges(changes)}`,
    });
  }

  /** Adds authors that were known when the restart was deferred. */
  withAuthors(key: WorkloadKey, changes: readonly Change[]): readonly Change[] {
    const authors = this.#authors.get(key);
    return authors
      ? changes.map((change) => ({
          ...change,
          attribution: namedFirst(change.attribution, authors.get(change.changeId)),
        }))
      : changes;
  }

  /**
   * The changes of which it is known how they were seen. That is forgotten after minutes, and a restart may wait for
   * weeks: without a record of the webhook, its change would count as one that the webhook missed.
   */
  countable({ key }: TrackedWorkload, changes: readonly Change[]): readonly Change[] {
    return this.#reported.has(key) ? changes.filter(({ attribution }) => attribution) : changes;
  }

  /** Nothing is owed to the workload any more, or it is restarted, or deleted. */
  forget(key: WorkloadKey): void {
    this.#reported.delete(key);
    this.#authors.delete(key);
  }

  #remember(key: WorkloadKey, namespace: string, changes: readonly Change[]): void {
    const authors = new Map(
      changes.flatMap(({ changeId, attribution }) => (attribution ? [[changeId, attribution] as const] : [])),
    );
    if (authors.size === 0) this.#authors.delete(key);
    else this.#authors.set(key, authors, bytesOf(authors), namespace);
  }
}

/** Completes "restarted": an urgent change passes gates that are closed. */
export function urgently(passed: readonly ClosedGate[]): string {
  return passed.length === 0
    ? ''
    : ` at once, because the change is urgent (${passed.map(({ detail }) => detail).join('; ')})`;
}

/** Estimated size of an attribution without its texts. */
const attributionBytes = 400;

function bytesOf(authors: ReadonlyMap<string, Attribution>): number {
  return [...authors.values()].reduce((sum, { users, changedKeys, manager = '' }) => {
    const texts = [...users, ...changedKeys, manager];
    return texts.reduce((bytes, text) => bytes + 2 * text.length, sum + attributionBytes);
  }, 0);
}
