import { absent, type ContentDigest } from '../shared/domain/content-digest';

/** What is known of the time at which a content came to be, before it is known what it came after. */
export interface Dating {
  /** A watch shows each write; a list or a read the last of several. */
  readonly origin: 'list' | 'watch' | 'read';
  /** The time of the last write that was seen before. */
  readonly formerMs: number;
  /** The newest time in managedFields. */
  readonly writtenAtMs: number;
  /** When it was seen, in whole seconds. */
  readonly seenMs: number;
}

/**
 * When a content came to be, by the API server's clock as far as it tells. Removing a key leaves no time in managedFields; every
 * other write does, maybe that of the same second, and must not be dated by its arrival: it would seem to come after what was
 * born meanwhile.
 *
 * `unread`: what differs is not known, and so it is dated as late as it may be.
 */
export function changedAtMs(
  { origin, formerMs, writtenAtMs, seenMs }: Dating,
  before: ContentDigest | 'unread',
  after: ContentDigest | 'unread',
): number {
  const differing = before === 'unread' || after === 'unread' ? 'unread' : after.differingKeys(before);
  const [sets, removes] =
    differing === 'unread' || after === 'unread'
      ? [false, true]
      : [differing.some((name) => after.key(name) !== absent), differing.some((name) => after.key(name) === absent)];
  const leftItsTime = sets ? writtenAtMs >= formerMs : writtenAtMs > formerMs;
  // A list or a read shows the last of several writes: the time may be that of one, and the removal came later.
  if (leftItsTime && !(removes && origin !== 'watch')) return writtenAtMs;
  return Math.max(writtenAtMs, seenMs);
}
