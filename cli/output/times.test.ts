import { describe, expect, it } from '@jest/globals';
import { ago, shortAge, within } from './times';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

describe('times', () => {
  it.each([
    [0, 'just now', 'at once', '0s'],
    [-5_000, 'just now', 'at once', '0s'],
    [second, '1 second ago', 'in 1 second', '1s'],
    [59 * second, '59 seconds ago', 'in 59 seconds', '59s'],
    [12 * minute, '12 minutes ago', 'in 12 minutes', '12m'],
    [90 * minute, '1 hour ago', 'in 1 hour', '1h30m'],
    [3 * day + 4 * hour + minute, '3 days ago', 'in 3 days', '3d4h'],
  ])('of %p ms are read by people', (ms, past, future, short) => {
    expect([ago(ms), within(ms), shortAge(ms)]).toEqual([past, future, short]);
  });
});
