/** What is known of the time of a write, by the API server's clock as far as it tells. */
export interface WriteTimes {
  /** The time of the last write that was seen before. */
  readonly formerMs: number;
  /** The newest time in managedFields. */
  readonly writtenAtMs: number;
  /** When it was seen, in whole seconds. */
  readonly seenMs: number;
}

/**
 * When a write was. What only removes, a key, an annotation or a label, leaves no time in managedFields, and counts from its
 * arrival: the time that stands there may be that of a write a day before. Every write that sets something leaves its time, maybe
 * that of the same second as the one before, and must not be dated by its arrival: it would seem to come after what changed
 * meanwhile.
 */
export function writeTimeMs({ formerMs, writtenAtMs, seenMs }: WriteTimes, sets: boolean): number {
  const leftItsTime = sets ? writtenAtMs >= formerMs : writtenAtMs > formerMs;
  return leftItsTime ? writtenAtMs : Math.max(writtenAtMs, seenMs);
}

/** Times of the API server have no fraction of a second. */
export function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
