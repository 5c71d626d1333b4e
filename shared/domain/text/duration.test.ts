import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { DurationError, formatDuration, parseDuration } from './duration';

describe('parseDuration', () => {
  // Expected values are those of Go's time.ParseDuration.
  it.each([
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['5s', 5_000],
    ['1478s', 1_478_000],
    ['-5m', -300_000],
    ['+5s', 5_000],
    ['5.0s', 5_000],
    ['5.6s', 5_600],
    ['5.s', 5_000],
    ['.5s', 500],
    ['1.001s', 1_001],
    ['100.00100s', 100_001],
    ['10ns', 0.000_01],
    ['11us', 0.011],
    ['12µs', 0.012],
    ['12μs', 0.012],
    ['13ms', 13],
    ['3h30m', 12_600_000],
    ['10.5s4m', 250_500],
    ['-2m3.4s', -123_400],
    ['1h2m3s4ms5us6ns', 3_723_004.005_006],
    ['39h9m14.425s', 140_954_425],
    ['0.3333333333333333333h', 1_200_000],
    ['1.5h', 5_400_000],
  ])('§8 reads %s', (text, ms) => expect(parseDuration(text)).toBeCloseTo(ms, 5));

  it.each([
    '',
    '3',
    '-',
    's',
    '.',
    '-.',
    '.s',
    '+.s',
    '1d',
    '1 s',
    ' 1s',
    '1s ',
    '1S',
    '--1s',
    '1h-5m',
    '1,5s',
    '1e3s',
    '٣s',
    '3000000h',
    '0.00.1s',
    `${'0'.repeat(1_000)}1s`,
  ])('§8 refuses %j', (text) => expect(() => parseDuration(text)).toThrow(DurationError));

  it('is exact at the end of its range', () => {
    expect(parseDuration('9223372036854ms')).toBe(9_223_372_036_854);
    expect(() => parseDuration('9223372036855ms')).toThrow(DurationError);
  });

  it('names the fix in one short message', () => {
    expect(() => parseDuration('5')).toThrow('"5" is not a duration: write numbers with units');
    expect(() => parseDuration('x'.repeat(10_000))).toThrow(/^.{1,250}$/);
  });

  it.each(['4047h'.repeat(19), '1234567890'.repeat(10), '1.1h'.repeat(24), `${'0'.repeat(98)}h`])(
    'refuses %s with one more digit without backtracking',
    (text) => {
      const read = (): unknown =>
        runInNewContext('read()', { read: () => parseDuration(`${text}1`) }, { timeout: 10_000 });
      expect(read).toThrow(DurationError);
    },
  );

  it('throws nothing but a DurationError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+]?[0-9.]*(h|m|s|ms|µs){0,3}$/)), (text) => {
        try {
          expect(Number.isFinite(parseDuration(text))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(DurationError);
        }
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [0.4, '0s'],
    [1, '1ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_999.6, '1m'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [5_400_000, '1h30m'],
    [3_600_500, '1h0.5s'],
    [-90_000, '-1m30s'],
  ])('writes %d ms', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('is read back as the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000, max: 9_000_000_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
