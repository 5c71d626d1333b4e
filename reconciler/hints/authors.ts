/** Somebody who put a source into a state. */
export interface Author {
  readonly user: string;
  /** When the webhook first and last saw them do it, by its wall clock. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** When we were first told of it, by our monotonic clock. */
  readonly toldMs: number;
}

/** Who put a source into a state: a few by name. */
export interface Authors {
  /** Newest first. Who was seen first, and who we were told of first, are always among them. */
  readonly named: readonly Author[];
  /** Announcements by others; who is not named and comes again counts again. */
  readonly more: number;
}

export const maxNamedAuthors = 5;

export const noAuthors: Authors = { named: [], more: 0 };

/**
 * Both together. However many names are put to a state after the true one, that one stays: whoever can send reviews cannot
 * date them back, and whoever can, having the webhook's key, cannot have been told of first.
 */
export function mergedAuthors(before: Authors, added: Authors): Authors {
  const byUser = new Map<string, Author>();
  for (const author of [...before.named, ...added.named]) {
    const same = byUser.get(author.user);
    byUser.set(author.user, same ? sameAuthor(same, author) : author);
  }
  const newestFirst = [...byUser.values()].toSorted((left, right) => right.lastMs - left.lastMs);
  const firsts = [firstAuthor(newestFirst), earliest(newestFirst, 'toldMs')];
  const others = newestFirst.filter((author) => !firsts.includes(author));
  const kept = new Set([...firsts, ...others.slice(0, maxNamedAuthors - new Set(firsts).size)]);
  const named = newestFirst.filter((author) => kept.has(author));
  return { named, more: before.more + added.more + newestFirst.length - named.length };
}

/** Who was seen first to put the source into the state. */
export function firstAuthor(named: readonly Author[]): Author | undefined {
  return earliest(named, 'firstMs');
}

function earliest(authors: readonly Author[], time: 'firstMs' | 'toldMs'): Author | undefined {
  // Of one batch we were told at one moment: then who was seen first, and of those of one moment who stood first in it.
  return authors.toSorted((left, right) => left[time] - right[time] || left.firstMs - right.firstMs)[0];
}

function sameAuthor(left: Author, right: Author): Author {
  return {
    user: left.user,
    firstMs: Math.min(left.firstMs, right.firstMs),
    lastMs: Math.max(left.lastMs, right.lastMs),
    toldMs: Math.min(left.toldMs, right.toldMs),
  };
}

/** An author takes this much besides the name. */
const authorBytes = 80;

/** About what they take in memory. */
export function bytesOfAuthors({ named }: Authors): number {
  return named.reduce((sum, { user }) => sum + authorBytes + user.length, 0);
}
