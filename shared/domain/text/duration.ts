import { RerollError } from '../errors';

/** A text that is not a duration. */
export class DurationError extends RerollError {
  constructor(text: string) {
    super(
      `${JSON.stringify(text.slice(0, maxTextLength))} is not a duration: write numbers with units ns, us, ms, s, m or h, such as 90s or 1h30m`,
      { code: 'INVALID_DURATION' },
    );
  }
}

const unitNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go counts nanoseconds in 63 bits: 292 years. */
const maxNs = 2n ** 63n - 1n;
const maxTextLength = 100;
const units = 'ns|us|µs|μs|ms|s|m|h';
/** The pattern matches digits in only one way. An ambiguous one would backtrack exponentially on invalid texts. */
const terms = new RegExp(`^(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:${units}))+$`);
const term = new RegExp(`(?<whole>\\d*)\\.?(?<fraction>\\d*)(?<unit>${units})`, 'g');

/**
 * Milliseconds of a Go duration (`time.ParseDuration`): `300ms`, `-1.5h`, `2h45m`, `0`. There are no days, and a bare
 * `5` is an error. Throws a DurationError.
 */
export function parseDuration(text: string): number {
  if (text.length > maxTextLength) throw new DurationError(text);
  const negative = text.startsWith('-');
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  const ns = unsigned === '0' ? 0n : sumOfTerms(unsigned);
  if (ns === undefined || ns > maxNs) throw new DurationError(text);
  // Split in two: a double holds only 104 days of nanoseconds exactly.
  const ms = Number(ns / 1_000_000n) + Number(ns % 1_000_000n) / 1e6;
  return negative && ms !== 0 ? -ms : ms;
}

function sumOfTerms(text: string): bigint | undefined {
  if (!terms.test(text)) return undefined;
  let sumNs = 0n;
  for (const { groups } of text.matchAll(term)) {
    const { whole = '', fraction = '', unit = '' } = groups ?? {};
    sumNs += (BigInt(whole + fraction) * (unitNs[unit] ?? 0n)) / 10n ** BigInt(fraction.length);
  }
  return sumNs;
}

/** The shortest text that {@link parseDuration} reads back as the same whole milliseconds: `1h30m`, `1.5s`, `0s`. */
export function formatDuration(ms: number): string {
  const total = Math.round(Math.abs(ms));
  if (total === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  if (total < 1_000) return `${sign}${total}ms`;
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = (total % 60_000) / 1_000;
  const parts = [
    [hours, 'h'],
    [minutes, 'm'],
    [seconds, 's'],
  ] as const;
  return (
    sign +
    parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count}${unit}`)
      .join('')
  );
}
