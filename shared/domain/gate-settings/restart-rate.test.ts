import { describe, expect, it } from '@jest/globals';
import { parseRestartRate, RestartRateError } from './restart-rate';

describe('parseRestartRate', () => {
  it.each([
    ['30/m', 30, 60_000],
    ['5/10s', 5, 10_000],
    [' 600 / h ', 600, 3_600_000],
    ['1/24h', 1, 86_400_000],
    ['10000/s', 10_000, 1_000],
  ])('reads %j', (text, count, perMs) => expect(parseRestartRate(text)).toEqual({ count, perMs, text: text.trim() }));

  it.each(['0', 'off', ' off '])('reads %j as none', (text) => expect(parseRestartRate(text)).toBeUndefined());

  it.each(['', '30', '30/', '/m', '0/m', '30/0m', '30/d', '30/25h', '10001/s', '-1/m', '1.5/m', '30/m/s'])(
    'refuses %j',
    (text) => expect(() => parseRestartRate(text)).toThrow(RestartRateError),
  );
});
