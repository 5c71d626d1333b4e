/** Limit for a Retry-After: a longer one is a mistake, and waiting that long would cause an outage. */
export const maxRetryAfterMs = 120_000;

/**
 * Parses a Retry-After header into milliseconds. The header holds seconds or a date (RFC 9110, 10.2.3). Returns
 * undefined if it is neither.
 *
 * @param nowMs wall clock, for the date form.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
