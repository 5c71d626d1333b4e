import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import { textDigest } from '../../shared/domain/sources/text-digest';
import type { Change } from '../../shared/domain/plan/change';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

interface Given {
  readonly baselineText: string;
  readonly changes: readonly Change[];
}

/**
 * Restarts that were put into writes of others, until a watch shows that such a write was stored. Memory only: what is
 * forgotten is told by `reroll.dev/last-restart` alone. Who asks for many writes and makes none has others forgotten of the
 * own namespace.
 */
export class InjectedRestarts {
  /** With a digest of the baseline, which may be as large as the workload. */
  readonly #injected = new BoundedMap<WorkloadKey, { readonly baseline: string; readonly changes: readonly Change[] }>({
    maxBytes: budgets.injectedBytes,
    maxOwnerBytes: budgets.injectedNamespaceBytes,
  });

  add(key: WorkloadKey, { baselineText, changes }: Given): void {
    const bytes = key.length + changes.reduce((sum, change) => sum + bytesOf(change), 0);
    this.#injected.set(key, { baseline: textDigest(baselineText), changes }, bytes, key.split('/')[1]);
  }

  /** The restart was written by ourselves, or is not owed any more. */
  forget(key: WorkloadKey): void {
    this.#injected.delete(key);
  }

  /** What a restart answered that has come to the workload with a write; told once. */
  take({ key, record }: TrackedWorkload): readonly Change[] | undefined {
    const entry = this.#injected.get(key);
    if (!entry || record.baselineText === undefined) return undefined;
    if (entry.baseline !== textDigest(record.baselineText)) return undefined;
    this.#injected.delete(key);
    return entry.changes;
  }
}

/** A change takes this much besides names of keys and their digests. */
const changeBytes = 500;
/** A digest of a key, with its place in a map. */
const recordedBytes = 100;

function bytesOf({ name, comparison, attribution }: Change): number {
  const { recorded, changedKeys = [] } = comparison ?? {};
  const keys = [...changedKeys, ...(attribution?.changedKeys ?? []), ...(attribution?.users ?? [])];
  const own = changeBytes + name.length + keys.reduce((sum, key) => sum + recordedBytes + key.length, 0);
  if (typeof recorded !== 'object') return own;
  return [...recorded.keys()].reduce((sum, key) => sum + recordedBytes + key.length, own);
}
