import { budgets } from '../../shared/domain/budgets';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import type { SourceKey, SourceRef } from '../../shared/domain/sources/source';
import { bytesOfHints, type Hint } from './hint';
import type { ScheduledRead } from './read-schedule';

export type HintedKind = ChangeRecord['kind'];

/** A source whose change was announced, or which is to be checked. */
export interface PendingSource extends SourceRef<HintedKind> {
  readonly id: SourceKey;
  /** In order of arrival. Empty only if the source is to be checked. */
  hints: readonly Hint[];
  /** An earlier read and a later list differ. The next read decides. */
  toCheck: boolean;
  reads: number;
  /** When the newest read began, and when the next one is due. */
  readMs: number;
  dueMs: number;
  /** Counts what the index learnt about the source, because a read in progress may then be older. */
  observations: number;
  /** Exactly one of these is set: the next read or the one in progress. */
  scheduled: ScheduledRead | undefined;
  underWay: Promise<void> | undefined;
}

export const maxPendingHints = 10_000;

interface PendingNamespace {
  readonly sources: Set<PendingSource>;
  hintBytes: number;
}

/** What is pending, and how much of the room for hints it takes: of that for all, and of that for its namespace. */
export class PendingSources {
  readonly #byId = new Map<SourceKey, PendingSource>();
  /** Only namespaces in which something is pending. */
  readonly #byNamespace = new Map<string, PendingNamespace>();
  #hints = 0;
  #hintBytes = 0;

  get hints(): number {
    return this.#hints;
  }

  get isFull(): boolean {
    return this.#hints >= maxPendingHints || this.#hintBytes >= budgets.hintBytes;
  }

  exceedsShare(namespace: string): boolean {
    return (this.#byNamespace.get(namespace)?.hintBytes ?? 0) > budgets.hintNamespaceBytes;
  }

  get(id: SourceKey): PendingSource | undefined {
    return this.#byId.get(id);
  }

  /** In the order in which they were added. undefined: of all namespaces. */
  in(namespace: string | undefined): Iterable<PendingSource> {
    if (namespace === undefined) return this.#byId.values();
    return this.#byNamespace.get(namespace)?.sources ?? [];
  }

  /** Adds a source that is not pending and has no hints yet. */
  add(source: PendingSource): void {
    const { id, namespace } = source;
    const ofNamespace = this.#byNamespace.get(namespace) ?? { sources: new Set(), hintBytes: 0 };
    this.#byId.set(id, source);
    this.#byNamespace.set(namespace, ofNamespace);
    ofNamespace.sources.add(source);
  }

  setHints(source: PendingSource, hints: readonly Hint[]): void {
    const addedBytes = bytesOfHints(hints) - bytesOfHints(source.hints);
    const ofNamespace = this.#byNamespace.get(source.namespace);
    if (ofNamespace) ofNamespace.hintBytes += addedBytes;
    this.#hintBytes += addedBytes;
    this.#hints += hints.length - source.hints.length;
    source.hints = hints;
  }

  /** Removes a source that has no hints any more. */
  delete(source: PendingSource): void {
    const { id, namespace } = source;
    const ofNamespace = this.#byNamespace.get(namespace);
    this.#byId.delete(id);
    ofNamespace?.sources.delete(source);
    if (ofNamespace?.sources.size === 0) this.#byNamespace.delete(namespace);
  }
}
