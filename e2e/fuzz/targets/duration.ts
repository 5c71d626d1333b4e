import { attempt, promise, type Target } from '../target';
import { DurationError, formatDuration, parseDuration } from '../../../shared/domain/text/duration';
import { parseGoBool } from '../../../shared/domain/text/go-bool';

/** A duration and a boolean in the formats of Go. */
export const target: Target = {
  seeds: ['1h30m', '-1.5s', '.5ms', '0', '2562047h47m16.854775807s', '1µs', 'true', 'F'],
  run: (input) => {
    const text = input.toString('utf8');
    parseGoBool(text);
    const ms = attempt(() => parseDuration(text), DurationError);
    if (ms === undefined) return;
    promise(Number.isFinite(ms), 'a duration is finite');
    // `formatDuration` writes whole milliseconds.
    const whole = Math.sign(ms) * Math.round(Math.abs(ms));
    if (Math.abs(whole) > 2 ** 43) return;
    promise(parseDuration(formatDuration(ms)) === (whole === 0 ? 0 : whole), 'a duration is read as it was written');
  },
};
