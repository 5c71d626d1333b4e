/** What is known about the time of a write, by the API server's clock as far as it shows. */
export interface WriteTimes {
  /** The time of the last write that was seen before. */
  readonly formerMs: number;
  /** The newest time in managedFields. */
  readonly writtenAtMs: number;
  /** When it was seen, in whole seconds. */
  readonly seenMs: number;
}

/**
 * When a write was made. A write that only removes a key, an annotation or a label leaves no time in managedFields, so
 * its arrival counts: the newest time there may belong to a write of a day ago. A write that sets something leaves its
 * time, possibly of the same second as the previous write. It must not be dated by its arrival, or it would seem later
 * than changes in between.
 */
export function writeTimeMs({ formerMs, writtenAtMs, seenMs }: WriteTimes, sets: boolean): number {
  const leftItsTime = sets ? writtenAtMs >= formerMs : writtenAtMs > formerMs;
  return leftItsTime ? writtenAtMs : Math.max(writtenAtMs, seenMs);
}

/** A write that left no time and was shown late was still made before the next one, if that left its time. */
export function beforeNextWriteMs(sinceMs: number, { formerMs, writtenAtMs }: Omit<WriteTimes, 'seenMs'>): number {
  return writtenAtMs > formerMs ? Math.min(sinceMs, writtenAtMs) : sinceMs;
}

/** Timestamps of the API server have no fractions of a second. */
export function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
