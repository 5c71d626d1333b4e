import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sourceKey } from '../../shared/domain/sources/source';
import { textDigest } from '../../shared/domain/sources/content-digest';
import type { Clock } from '../../shared/runtime/clock';
import { RecentMap } from '../../shared/runtime/recent-map';

/** All hooks see one write within this time, including the API server's own retries. */
const windowMs = 10_000;

export const maxRecentSources = 4_096;

/**
 * Recognizes a change that is seen twice: `/mutate` and `/validate` may both be registered, and the API server calls
 * again, with a new uid, when a write meets a conflict.
 *
 * Only the last change of a source is remembered, so a change, its revert and the same change again count as three. If
 * another replica sees the revert, the last one counts as the first, and its restart names nobody: the version that it
 * replaces does not tell it from a write that met a conflict.
 */
export class RecentChanges {
  readonly #last: RecentMap<string>;

  constructor(clock: Clock) {
    this.#last = new RecentMap(clock, { keptMs: windowMs, maxEntries: maxRecentSources });
  }

  get size(): number {
    return this.#last.size;
  }

  /** Whether this change has not been seen before. Remembers it. */
  isNew(record: ChangeRecord): boolean {
    const { uid, digest, user } = record;
    // Digests, because names of objects and users may be long.
    const source = textDigest(`${sourceKey(record)} ${uid}`);
    const change = textDigest(`${digest} ${user}`);
    if (this.#last.get(source) === change) return false;
    this.#last.set(source, change);
    return true;
  }
}
