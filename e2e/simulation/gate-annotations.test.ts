import { describe, expect, it } from '@jest/globals';
import { areWindows, holds, intervalOf, isOpenAt, openAgainAndAgain } from './gate-annotations';

/** A Thursday. */
function at(time: string, day = '2026-01-01'): number {
  return Date.parse(`${day}T${time}Z`);
}

describe('the windows of the judge', () => {
  it.each([
    ['00:01-00:02', '00:01:00.000', true],
    ['00:01-00:02', '00:00:59.999', false],
    ['00:01-00:02', '00:02:00.000', false],
    ['Thu 00:01-00:02', '00:01:30', true],
    ['Fri,Sat 00:01-00:02', '00:01:30', false],
    ['Wed 23:00-00:01', '00:00:30', true],
    ['Thu 23:00-00:01', '00:00:30', false],
    ['Thu 01:01-01:03 Europe/Berlin', '00:02:00', true],
    ['Thu 00:01-00:03 Europe/Berlin', '00:02:00', false],
    ['00:01-00:02; 00:04-00:05', '00:04:30', true],
    ['* * * * * +20s', '00:07:19.999', true],
    ['* * * * * +20s', '00:07:20', false],
    ['*/2 * * * * +90s', '00:03:29', true],
    ['*/2 * * * * +90s', '00:03:30', false],
    ['1-59/3 * * * * +10s', '00:04:05', true],
    ['1-59/3 * * * * +10s', '00:03:05', false],
    ['0 0 * * * +12s', '00:00:11', true],
    ['0 0 * * * +12s', '01:00:11', false],
    ['always', '00:00:00', true],
  ])('%s at %s: %s', (text, time, isOpen) => {
    expect([areWindows(text), isOpenAt(text, at(time))]).toEqual([true, isOpen]);
  });

  it.each(['whenever', '25:00', 'Thu'])('that cannot be read are none: %s', (text) => {
    expect(areWindows(text)).toBe(false);
  });

  it('open again and again, or on a day', () => {
    const [often, seldom] = [
      ['* * * * * +20s', '1-59/3 * * * * +10s', 'always'],
      ['00:01-00:02', '0 0 * * * +12s'],
    ] as const;
    expect(often.map(openAgainAndAgain)).toEqual([true, true, true]);
    expect(seldom.map(openAgainAndAgain)).toEqual([false, false]);
  });
});

it.each([
  ['true', true],
  ['false', false],
  ['because=audit', true],
  ['until=2026-01-01T00:00:30Z', true],
  ['until=2026-01-01T00:00:29.5Z, because=audit', false],
  ['until tomorrow', true],
])('a hold of the judge: %s', (text, isHeld) => {
  expect(holds(text, at('00:00:29.600'))).toBe(isHeld);
});

it.each([
  ['90s', 90_000],
  ['2m', 120_000],
  ['0', 0],
  ['soon', undefined],
])('an interval of the judge: %s', (text, ms) => {
  expect(intervalOf(text)).toBe(ms);
});
