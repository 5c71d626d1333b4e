import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import { outcomeLine, type Ending, type History } from '../../shared/domain/protocol/history-line';
import { readRestartCause } from '../../shared/domain/workloads/restart-cause';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { entryOf, entryOfCause, type Decided, type HistoryTarget } from './history-entry';
import { HistoryWriter, type HistoryWriterOptions } from './history-writer';
import { keyOf, OpenRestarts, type Conclusion, type OpenRestart } from './open-restarts';
import { ShownRestarts, type ShownRestart } from './shown-restarts';

export interface RestartHistoryOptions extends Omit<HistoryWriterOptions, 'onRead'> {
  /** Whether an Argo Rollout takes its template from this Deployment, whose own pods then tell nothing. */
  readonly isReferenced: (target: HistoryTarget) => boolean;
  /** It is known how a restart ended. */
  readonly onEnd: (restart: OpenRestart, conclusion: Conclusion) => void;
}

/** What of a restart decides how long its end is awaited. */
export interface RestartForm {
  /** Its pods are not replaced: the next run of the workload has the change. */
  readonly isLeftToNextRun?: boolean;
  /** The restart paused the Deployment until then. */
  readonly heldUntilMs?: number | undefined;
}

/**
 * The restarts that Reroll made, withheld and could not make, and how they ended. Only the leader tells it of them, and
 * only the leader keeps it.
 *
 *     worker ──▶ log of lines ──▶ ConfigMaps of Reroll's namespace
 *        └─────▶ open restarts ──▶ how they ended ──▶ log, Event, metric
 *     watches ─▶ shown restarts ──┘
 */
export class RestartHistory {
  readonly #options: RestartHistoryOptions;
  readonly #writer: HistoryWriter;
  readonly #shown: ShownRestarts;
  readonly #open: OpenRestarts;
  /** The code of the last refusal of each workload. A refused restart is tried again and again, and told once. */
  #refusals = boundedByNamespace<WorkloadKey, string>();
  /** When the term began; undefined while this replica does not lead. */
  #sinceMs: number | undefined;
  /** Whether it is read what earlier leaders have told. */
  #isRead = false;
  /** Workloads whose restart of before this term was looked at, by uid. Tenants make new ones without end. */
  #lookedAt = boundedByNamespace<string, true>();

  constructor(options: RestartHistoryOptions) {
    this.#options = options;
    const { clock, random, logger, store, onRefused } = options;
    this.#writer = new HistoryWriter({
      ...{ clock, random, logger, store, onRefused },
      onRead: () => this.#takeUp(),
    });
    this.#shown = new ShownRestarts({ clock, onShown: (shown) => this.#onShown(shown) });
    this.#open = new OpenRestarts({
      ...{ clock, shown: this.#shown },
      onEnd: (restart, conclusion) => this.#onEnd(restart, conclusion),
    });
  }

  begin(): void {
    this.#sinceMs = this.#options.clock.nowMs();
    this.#writer.begin();
  }

  end(): void {
    this.#sinceMs = undefined;
    this.#isRead = false;
    this.#lookedAt = boundedByNamespace();
    this.#open.clear();
    this.#refusals = boundedByNamespace();
    this.#writer.end();
  }

  /** Writes what is left. Call it while this process still leads, after the last restart. Never rejects. */
  async stop(): Promise<void> {
    await this.#writer.flush();
    this.end();
  }

  /** Called for each workload that a watch shows. */
  saw(record: WorkloadRecord, object: unknown): void {
    this.#shown.saw(record, object);
  }

  gone(key: WorkloadKey, uid: string): void {
    this.#shown.forget(uid);
    this.#open.gone(key, uid);
    this.#refusals.delete(key);
  }

  restarted(decided: Decided, { isLeftToNextRun = false, heldUntilMs }: RestartForm = {}): void {
    const { id, atMs, target } = decided;
    this.#refusals.delete(keyOf(target));
    const ending = this.#endingAtOnce(target, isLeftToNextRun);
    this.#add(entryOf(decided, ending));
    if (ending.outcome === 'rolling') {
      this.#open.begin({ id, atMs, target, ...(heldUntilMs !== undefined && { heldUntilMs }) });
    }
  }

  /** A restart of which only the annotation on the workload tells: that of a Job, or one that a write of others brought. */
  restartedAsTold(target: HistoryTarget, told: string | undefined): void {
    this.#addTold(target, told);
  }

  /** A Job is deleted, and cannot be created again. False: the same was told before. */
  refusedAsTold(target: HistoryTarget, told: string | undefined, code: string): boolean {
    const cause = readRestartCause(told);
    if (!cause || !this.#isNewRefusal(target, code)) return false;
    this.#add(entryOfCause(target, cause, { outcome: 'failed', reason: code }));
    return true;
  }

  withheld(decided: Decided): void {
    this.#add(entryOf(decided, { outcome: 'dry-run' }));
  }

  /** False: the same was told before, and the restart was only tried again. */
  refused(decided: Decided, code: string): boolean {
    if (!this.#isNewRefusal(decided.target, code)) return false;
    this.#add(entryOf(decided, { outcome: 'failed', reason: code }));
    return true;
  }

  /** Nothing is owed to a workload any more, so what is refused next is another restart. */
  notOwed(key: WorkloadKey): void {
    this.#refusals.delete(key);
  }

  /** What is known, newest first. */
  read(): History {
    const { keptSince, entries } = this.#writer.log.read();
    return { keptSince, entries: entries.map((entry) => this.#asKnown(entry)) };
  }

  /** The restart with this id. */
  find(id: string): HistoryEntry | undefined {
    const entry = this.#writer.log.find(id);
    return entry && this.#asKnown(entry);
  }

  /** When the restart was made since which the pods of a workload are not well; undefined: they are, or it is not known. */
  unhealthySinceMs(key: WorkloadKey): number | undefined {
    return this.#open.unhealthySince(key)?.atMs;
  }

  #isNewRefusal(target: HistoryTarget, code: string): boolean {
    const key = keyOf(target);
    if (this.#refusals.get(key) === code) return false;
    this.#refusals.set(key, code, key.length + code.length, target.namespace);
    return true;
  }

  #endingAtOnce(target: HistoryTarget, isLeftToNextRun: boolean): Ending {
    if (target.kind === 'CronJob' || isLeftToNextRun) {
      return { outcome: 'unknown', reason: 'its next run has the change, and is not followed' };
    }
    if (this.#options.isReferenced(target)) return { outcome: 'unknown', reason: 'an Argo Rollout uses its template' };
    return { outcome: 'rolling' };
  }

  #addTold(target: HistoryTarget, told: string | undefined): HistoryEntry | undefined {
    const cause = readRestartCause(told);
    if (!cause) return undefined;
    this.#refusals.delete(keyOf(target));
    const ending = this.#endingAtOnce(target, cause.isLeftToNextRun);
    const entry = entryOfCause(target, cause, ending);
    this.#add(entry);
    if (ending.outcome === 'rolling') this.#open.begin({ id: cause.id, atMs: cause.atMs, target });
    return entry;
  }

  #add(entry: HistoryEntry): void {
    this.#writer.log.add(entry);
    this.#writer.changed();
  }

  #onEnd(restart: OpenRestart, conclusion: Conclusion): void {
    const outcomeAt = new Date(this.#options.clock.nowMs()).toISOString();
    this.#writer.log.add(outcomeLine(restart.id, { ...conclusion, outcomeAt }));
    this.#writer.changed();
    this.#options.onEnd(restart, conclusion);
  }

  /** How it ends is awaited only if this leader follows it. */
  #asKnown(entry: HistoryEntry): HistoryEntry {
    if (entry.outcome !== 'rolling' || this.#open.has(keyIn(entry), entry.id)) return entry;
    return { ...entry, outcome: 'unknown', reason: 'nobody saw how it ended' };
  }

  /** The history of earlier leaders is read: their restarts are followed, and what they had no time to write is added. */
  #takeUp(): void {
    this.#isRead = true;
    this.#lookedAt = boundedByNamespace();
    // Parsed once: to look through the whole text for each of thousands would hold up everything else for two seconds.
    const known = new Map(this.#writer.log.read().entries.map((entry) => [entry.id, entry]));
    for (const shown of this.#shown.all()) {
      const added = this.#onShown(shown, (id) => known.get(id));
      if (added) known.set(added.id, added);
    }
  }

  /** Returns what it adds to the history. */
  #onShown(
    shown: ShownRestart,
    find = (id: string): HistoryEntry | undefined => this.#writer.log.find(id),
  ): HistoryEntry | undefined {
    this.#open.look(shown);
    const { target, restart } = shown;
    if (this.#sinceMs === undefined || !this.#isRead) return undefined;
    // The worker tells of those of this term. Of another, somebody else has written the annotation.
    if (restart.atMs >= this.#sinceMs || this.#lookedAt.has(target.uid)) return undefined;
    this.#lookedAt.set(target.uid, true, target.uid.length, target.namespace);
    if (this.#open.has(keyOf(target), restart.id)) return undefined;
    const known = find(restart.id);
    if (!known) return this.#addTold(target, shown.told);
    // A copy of a workload has its annotation too, and so may whatever a tenant writes.
    if (known.outcome === 'rolling' && keyIn(known) === keyOf(target)) this.#open.begin({ ...restart, target });
    return undefined;
  }
}

/** The workload that an entry is about. */
function keyIn({ kind, namespace, name }: HistoryEntry): WorkloadKey {
  return `${kind}/${namespace}/${name}`;
}

function boundedByNamespace<Key, Value>(): BoundedMap<Key, Value> {
  return new BoundedMap({ maxBytes: budgets.followedBytes, maxOwnerBytes: budgets.followedNamespaceBytes });
}
