import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import { detailed } from '../../shared/domain/baseline/recorded';
import { textDigest } from '../../shared/domain/sources/content-digest';
import type { Change } from '../../shared/domain/plan/change';
import { namespaceOfWorkload, type TrackedWorkload, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';

interface InjectedRestart {
  readonly baselineText: string;
  readonly changes: readonly Change[];
}

/**
 * Restarts that the webhook injected into writes of others, until a watch shows that such a write was stored. Memory
 * only: after a restart of this process, only `reroll.dev/last-restart` shows them. A user who submits many writes
 * without storing any evicts only entries of their own namespace.
 */
export class InjectedRestarts {
  /** With a digest of the baseline, because the baseline may be as large as the workload. */
  readonly #injected = new BoundedMap<WorkloadKey, { readonly baseline: string; readonly changes: readonly Change[] }>({
    maxBytes: budgets.injectedBytes,
    maxOwnerBytes: budgets.injectedNamespaceBytes,
  });

  add(key: WorkloadKey, { baselineText, changes }: InjectedRestart): void {
    const bytes = key.length + changes.reduce((sum, change) => sum + bytesOf(change), 0);
    this.#injected.set(key, { baseline: textDigest(baselineText), changes }, bytes, namespaceOfWorkload(key));
  }

  /** Reroll wrote the restart itself, or no restart is owed any more. */
  forget(key: WorkloadKey): void {
    this.#injected.delete(key);
  }

  /** The changes of a restart that a stored write brought along. Returned once. */
  take({ key, record }: TrackedWorkload): readonly Change[] | undefined {
    const entry = this.#injected.get(key);
    if (!entry || record.baselineText === undefined) return undefined;
    if (entry.baseline !== textDigest(record.baselineText)) return undefined;
    this.#injected.delete(key);
    return entry.changes;
  }
}

/** Estimated size of a change without the names of keys and their digests. */
const changeBytes = 500;
/** Estimated size of a key's digest and its map entry. */
const recordedBytes = 100;

function bytesOf({ name, comparison, attribution }: Change): number {
  const { recorded, changedKeys = [] } = comparison ?? {};
  const keys = [...changedKeys, ...(attribution?.changedKeys ?? []), ...(attribution?.users ?? [])];
  const own = changeBytes + name.length + keys.reduce((sum, key) => sum + recordedBytes + key.length, 0);
  const { digests, parsed } = recorded === undefined ? {} : detailed(recorded);
  const recordedKeys = [digests, parsed].flatMap((each) => (typeof each === 'object' ? [...each.keys()] : []));
  return recordedKeys.reduce((sum, key) => sum + recordedBytes + key.length, own);
}
