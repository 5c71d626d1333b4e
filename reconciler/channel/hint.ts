import type { ChangeRecord } from '../../shared/domain/change-record';

/** What is kept of a change record until stored state confirms it. */
export interface Hint {
  readonly uid: string;
  readonly digest: string;
  readonly user: string;
  readonly manager: string | undefined;
  /** Maybe not all of them: see {@link boundedNames}. */
  readonly changedKeys: readonly string[];
  /** By the webhook's wall clock. */
  readonly observedAtMs: number;
  /** By our monotonic clock. */
  readonly receivedMs: number;
}

/** Ten thousand hints are kept at most: whoever fills them with long names of keys must not fill the memory. */
const maxNameCharacters = 1_000;

export function hintOf({ changed, ...record }: ChangeRecord, receivedMs: number): Hint {
  const { uid, digest, user, manager, observedAtMs } = record;
  const changedKeys = boundedNames([...changed.changed, ...changed.added, ...changed.removed]);
  return { uid, digest, user, manager, changedKeys, observedAtMs, receivedMs };
}

/** As many different names from the front as have room. */
export function boundedNames(names: Iterable<string>): readonly string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const name of new Set(names)) {
    characters += name.length;
    if (characters > maxNameCharacters) break;
    kept.push(name);
  }
  return kept;
}

/** The same change by the same user: sent twice, or admitted twice. */
export function isSameChange(left: Hint, right: Hint): boolean {
  return left.uid === right.uid && left.digest === right.digest && left.user === right.user;
}

export function newestFirst(left: Hint, right: Hint): number {
  return right.observedAtMs - left.observedAtMs;
}
