import { RerollError } from '../errors';

/** At most this many restarts begin in any period of this length. */
export interface RestartRate {
  readonly count: number;
  readonly perMs: number;
  /** As it was written. */
  readonly text: string;
}

/** A text that is not a rate. */
export class RestartRateError extends RerollError {
  constructor(text: string) {
    super(
      `${JSON.stringify(text.slice(0, maxShownLength))} is not a number of restarts in a time, such as 30/m, 5/10s or 600/h`,
      {
        code: 'INVALID_RESTART_RATE',
      },
    );
  }
}

const maxShownLength = 60;
/** The times of as many restarts are kept. */
const maxCount = 10_000;
const form = /^\s*(\d{1,5})\s*\/\s*(\d{1,4})?(s|m|h)\s*$/;
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const maxPerMs = 24 * 3_600_000;

/** Reads `30/m`, `5/10s`, and `0` or `off` for no rate, which is undefined. Throws a RestartRateError. */
export function parseRestartRate(text: string): RestartRate | undefined {
  const plain = text.trim();
  if (plain === 'off' || plain === '0') return undefined;
  const [, digits, times = '1', unit = ''] = form.exec(plain) ?? [];
  const count = Number(digits);
  const perMs = Number(times) * (unitMs[unit] ?? NaN);
  if (!(count >= 1 && count <= maxCount && perMs >= 1_000 && perMs <= maxPerMs)) throw new RestartRateError(text);
  return { count, perMs, text: plain };
}
