/** A user who put a source into a state. */
export interface Author {
  readonly user: string;
  /** When the webhook first and last saw the change, by its wall clock. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** When it was first reported to us, by our monotonic clock. */
  readonly reportedMs: number;
}

/** The users who put a source into a state; only a few are named. */
export interface Authors {
  /** Newest first. The users who were seen first and reported first are always included. */
  readonly named: readonly Author[];
  /** Announcements by users who are not named. A user who announces again counts again. */
  readonly more: number;
}

export const maxNamedAuthors = 5;

export const noAuthors: Authors = { named: [], more: 0 };

/**
 * Merges both. However many names are added to a state later, the true author stays: a user who can send reviews cannot
 * backdate them, and a user who can, because they have the webhook's key, cannot have been reported first.
 */
export function mergedAuthors(before: Authors, added: Authors): Authors {
  const byUser = new Map<string, Author>();
  for (const author of [...before.named, ...added.named]) {
    const same = byUser.get(author.user);
    byUser.set(author.user, same ? sameAuthor(same, author) : author);
  }
  const newestFirst = [...byUser.values()].toSorted((left, right) => right.lastMs - left.lastMs);
  const firsts = [firstAuthor(newestFirst), earliest(newestFirst, 'reportedMs')];
  const others = newestFirst.filter((author) => !firsts.includes(author));
  const kept = new Set([...firsts, ...others.slice(0, maxNamedAuthors - new Set(firsts).size)]);
  const named = newestFirst.filter((author) => kept.has(author));
  return { named, more: before.more + added.more + newestFirst.length - named.length };
}

/** The user who was seen first to put the source into the state. */
export function firstAuthor(named: readonly Author[]): Author | undefined {
  return earliest(named, 'firstMs');
}

function earliest(authors: readonly Author[], time: 'firstMs' | 'reportedMs'): Author | undefined {
  // The authors in one batch were reported at the same time. Then the first seen wins, and of those the first in it.
  return authors.toSorted((left, right) => left[time] - right[time] || left.firstMs - right.firstMs)[0];
}

function sameAuthor(left: Author, right: Author): Author {
  return {
    user: left.user,
    firstMs: Math.min(left.firstMs, right.firstMs),
    lastMs: Math.max(left.lastMs, right.lastMs),
    reportedMs: Math.min(left.reportedMs, right.reportedMs),
  };
}

/** Estimated size of an author without the name. */
const authorBytes = 80;

/** Estimated size in memory. */
export function bytesOfAuthors({ named }: Authors): number {
  return named.reduce((sum, { user }) => sum + authorBytes + user.length, 0);
}
