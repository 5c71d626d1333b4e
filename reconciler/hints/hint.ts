import { maxRecordedKeys, type ChangeRecord } from '../../shared/domain/protocol/change-record';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { bytesOfAuthors, mergedAuthors, type Authors } from './authors';

/** What is kept of a change record until stored state confirms it. */
export interface Hint {
  readonly uid: string;
  readonly digest: string;
  readonly user: string;
  /** That user, and the users who announced the same state when there was no room for more hints. */
  readonly authors: Authors;
  readonly manager: string | undefined;
  /** Possibly incomplete: see {@link boundedNames}. */
  readonly changedKeys: readonly string[];
  /** By the webhook's wall clock. */
  readonly observedAtMs: number;
  /** The resource version that the write replaced; undefined: a creation, or an older webhook announced it. */
  readonly replaces: string | undefined;
  /** By our monotonic clock. */
  readonly receivedMs: number;
}

/** Up to ten thousand hints are kept. Long key names must not fill the memory. */
const maxNameCharacters = 1_000;

/** No key of a source has a longer name. */
const maxKeyCharacters = 253;

export function hintOf({ changed, ...record }: ChangeRecord, receivedMs: number): Hint {
  const { uid, digest, user, manager, observedAtMs, replaces } = record;
  const changedKeys = boundedNames([...changed.changed, ...changed.added, ...changed.removed]);
  const author = { user, firstMs: observedAtMs, lastMs: observedAtMs, reportedMs: receivedMs };
  const authors = { named: [author], more: 0 };
  return { uid, digest, user, authors, manager, changedKeys, observedAtMs, replaces, receivedMs };
}

/** The first distinct names that fit. */
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

/**
 * Whether these are surely all names that were changed: there are some, and the next one would have had room, in the
 * change record too.
 */
export function areAllNames(names: readonly string[]): boolean {
  const characters = names.reduce((sum, { length }) => sum + length, 0);
  return names.length > 0 && names.length < maxRecordedKeys && characters + maxKeyCharacters <= maxNameCharacters;
}

/** Estimated size of a hint without its texts. */
const hintBytes = 250;

/** Estimated size of hints. */
export function bytesOfHints(hints: readonly Hint[]): number {
  return hints.reduce((sum, { uid, digest, authors, manager = '', changedKeys, replaces = '' }) => {
    const texts = [uid, digest, replaces, manager, ...changedKeys];
    return texts.reduce((bytes, text) => bytes + text.length, sum + hintBytes + bytesOfAuthors(authors));
  }, 0);
}

/** One hint for both: the newer one, with the authors of both. */
export function mergedHint(before: Hint, hint: Hint): Hint {
  const newer = hint.observedAtMs > before.observedAtMs ? hint : before;
  return { ...newer, authors: mergedAuthors(before.authors, hint.authors) };
}

export function isSameState(left: Hint, right: Hint): boolean {
  return left.uid === right.uid && left.digest === right.digest;
}

/**
 * Whether the hint announces a write that came after this version of its object. Whoever shows the version is behind: the
 * content of both may be the same, and another one has been in between.
 */
export function isOfLaterWrite({ replaces }: Hint, resourceVersion: string): boolean {
  return replaces !== undefined && (replaces === resourceVersion || isOlderVersion(resourceVersion, replaces));
}

/** The same change by the same user, sent or admitted twice. */
export function isSameChange(left: Hint, right: Hint): boolean {
  return isSameState(left, right) && left.user === right.user;
}

export function newestFirst(left: Hint, right: Hint): number {
  return right.observedAtMs - left.observedAtMs;
}
