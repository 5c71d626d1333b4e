import { describe, expect, it, jest } from '@jest/globals';
import { Cron } from 'croner';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseRestartWindows, RestartWindowsError } from './restart-windows';

/** When the next window opens; `open`: one is open at that time. */
function opens(text: string, at: string): string {
  const nowMs = Date.parse(at);
  const opensMs = parseRestartWindows(text).opensMs(nowMs);
  return opensMs === nowMs ? 'open' : new Date(opensMs).toISOString().replace(':00.000Z', 'Z');
}

/** The heap without what nothing refers to. */
function retainedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const nights = 'Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun';

describe('parseRestartWindows', () => {
  it.each([
    // 2026-11-25 is a Wednesday, and Berlin is an hour ahead of UTC.
    [nights, '2026-11-25T20:59:59Z', '2026-11-25T21:00Z'],
    [nights, '2026-11-25T21:00:00Z', 'open'],
    [nights, '2026-11-26T03:59:59Z', 'open'],
    [nights, '2026-11-26T04:00:00Z', '2026-11-26T21:00Z'],
    // The night of Friday ends on Saturday, which is open anyway, in the zone of the other part.
    [nights, '2026-11-27T23:00:00Z', 'open'],
    [nights, '2026-11-29T22:59:59Z', 'open'],
    [nights, '2026-11-29T23:00:00Z', '2026-11-30T21:00Z'],
    ['Sat', '2026-11-28T00:00:00Z', 'open'],
    ['Sat', '2026-11-29T00:00:00Z', '2026-12-05T00:00Z'],
    ['fri-mon', '2026-11-26T12:00:00Z', '2026-11-27T00:00Z'],
    ['Sun 22:00-02:00', '2026-11-30T01:59:00Z', 'open'],
    ['02:00-04:00', '2026-11-25T03:00:00Z', 'open'],
    ['02:00-04:00', '2026-11-25T04:00:00Z', '2026-11-26T02:00Z'],
    ['00:00-24:00', '2026-11-25T04:00:00Z', 'open'],
    ['22:00-24:00', '2026-11-25T00:00:00Z', '2026-11-25T22:00Z'],
    ['0 22 * * 1-5 +7h Europe/Berlin', '2026-11-26T03:59:59Z', 'open'],
    ['0 22 * * 1-5 +7h Europe/Berlin', '2026-11-26T04:00:00Z', '2026-11-26T21:00Z'],
    ['0 0 1 * * +72h', '2026-12-03T23:59:59Z', 'open'],
    ['0 0 1 * * +72h', '2026-12-04T00:00:00Z', '2027-01-01T00:00Z'],
    ['0 0 29 2 * +1h', '2026-11-25T00:00:00Z', '2028-02-29T00:00Z'],
    ['Mon 08:00-09:00 Asia/Tokyo; Mon 08:00-09:00 America/New_York', '2026-11-29T23:30:00Z', 'open'],
    ['Mon 08:00-09:00 Asia/Tokyo; Mon 08:00-09:00 America/New_York', '2026-11-30T00:00:00Z', '2026-11-30T13:00Z'],
    ['Mon 08:00-09:00;', '2026-11-30T08:00:00Z', 'open'],
  ])('%s at %s: %s', (text, at, expected) => {
    expect(opens(text, at)).toBe(expected);
  });

  /** Berlin: on 2026-03-29, 02:00 becomes 03:00; on 2026-10-25, 03:00 becomes 02:00. Lord Howe moves by half an hour. */
  it.each([
    // A time that does not exist is the moment of the change.
    ['02:30-03:30 Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:00Z'],
    ['02:30-03:30 Europe/Berlin', '2026-03-29T01:00:00Z', 'open'],
    ['02:30-03:30 Europe/Berlin', '2026-03-29T01:30:00Z', '2026-03-30T00:30Z'],
    ['22:00-05:00 Europe/Berlin', '2026-03-29T02:59:59Z', 'open'],
    ['22:00-05:00 Europe/Berlin', '2026-03-29T03:00:00Z', '2026-03-29T20:00Z'],
    ['Sun Europe/Berlin', '2026-03-29T21:59:59Z', 'open'],
    ['Sun Europe/Berlin', '2026-03-29T22:00:00Z', '2026-04-04T22:00Z'],
    // If the end is over at that moment, the window is open for as long as on other days, and not until the next one.
    ['02:00-03:00 Europe/Berlin', '2026-03-29T01:59:59Z', 'open'],
    ['02:00-03:00 Europe/Berlin', '2026-03-29T02:00:00Z', '2026-03-30T00:00Z'],
    ['02:15-02:45 Europe/Berlin', '2026-03-29T01:29:59Z', 'open'],
    ['02:15-02:45 Europe/Berlin', '2026-03-29T01:30:00Z', '2026-03-30T00:15Z'],
    ['02:00-03:00 America/New_York', '2026-03-08T18:00:00Z', '2026-03-09T06:00Z'],
    ['Sun 02:00-03:00 Europe/Berlin', '2026-03-29T18:00:00Z', '2026-04-05T00:00Z'],
    // A time that comes twice opens and closes at its first.
    ['02:30-03:30 Europe/Berlin', '2026-10-25T00:30:00Z', 'open'],
    ['02:30-03:30 Europe/Berlin', '2026-10-25T01:45:00Z', 'open'],
    ['02:30-03:30 Europe/Berlin', '2026-10-25T02:30:00Z', '2026-10-26T01:30Z'],
    ['22:00-05:00 Europe/Berlin', '2026-10-25T03:59:59Z', 'open'],
    ['Sun Europe/Berlin', '2026-10-24T22:00:00Z', 'open'],
    ['Sun Europe/Berlin', '2026-10-25T22:59:59Z', 'open'],
    ['Sun Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-31T23:00Z'],
    ['0 2 * * * +2h Europe/Berlin', '2026-10-25T01:59:59Z', 'open'],
    ['0 2 * * * +2h Europe/Berlin', '2026-10-25T02:00:00Z', '2026-10-26T01:00Z'],
    ['02:15-02:45 Australia/Lord_Howe', '2026-10-03T15:29:59Z', '2026-10-03T15:30Z'],
    // A day on which clocks changed at midnight begins at one.
    ['Sun America/Sao_Paulo', '2018-11-04T02:59:59Z', '2018-11-04T03:00Z'],
  ])('across a change of clocks: %s at %s: %s', (text, at, expected) => {
    expect(opens(text, at)).toBe(expected);
  });

  it.each([
    ['', 'names no window'],
    [' ; ', 'names no window'],
    ['banana', '"banana" is no day and no range of days; write Mon, or Mon-Fri'],
    ['Mon-Tue-Wed', '"Mon-Tue-Wed" is no day and no range of days; write Mon, or Mon-Fri'],
    ['Mon,', '"" is no day and no range of days; write Mon, or Mon-Fri'],
    ['25:00-26:00', '"25:00-26:00" is not a time of day such as 22:00-05:00'],
    ['9:00-10:00', '"9:00-10:00" is not a time of day such as 22:00-05:00'],
    ['22:00-22:00', '"22:00-22:00" begins when it ends'],
    ['Mon 22:00-23:00 Mars/Olympus', 'names no time zone by "Mars/Olympus"'],
    ['Mon 22:00-23:00 CET', '"Mon 22:00-23:00 CET" is neither days and hours nor cron and a duration'],
    ['0 22 * * 9 +1h', '"0 22 * * 9" is not a schedule of cron'],
    ['0 22 * * 1', '"0 22 * * 1" is neither days and hours nor cron and a duration'],
    ['0 0 31 2 * +1h', '"0 0 31 2 *" never comes'],
    ['0 22 * * 1 +1d', '"+1d" is not a duration such as +7h or +1h30m'],
    ['0 22 * * 1 +0s', '"+0s" is not between a moment and 168h'],
    ['0 22 * * 1 +169h', '"+169h" is not between a moment and 168h'],
    ['Mon UTC; Tue Europe/Berlin; Wed', 'names several time zones, and not one for each window'],
    ['Mon;'.repeat(11), 'has more than 10 windows'],
    ['x'.repeat(501), 'has more than 500 characters'],
  ])('refuses %j', (text, why) => {
    expect(() => parseRestartWindows(text)).toThrow(new RestartWindowsError(why));
  });

  it('is one object for one text', () => {
    expect(parseRestartWindows('Tue')).toBe(parseRestartWindows('Tue'));
  });

  it('finds out once that a text is wrong', () => {
    const refusal = (): unknown => {
      try {
        return parseRestartWindows('0 0 30 2 * +1h');
      } catch (error) {
        return error;
      }
    };
    expect(refusal()).toBeInstanceOf(RestartWindowsError);
    expect(refusal()).toBe(refusal());
  });

  it('keeps only so many', () => {
    const first = parseRestartWindows('Thu');
    for (let n = 0; n < 1_200; n++) parseRestartWindows(`0 ${n % 24} ${1 + (n % 28)} * * +${1 + n}m`);
    expect(parseRestartWindows('Thu')).not.toBe(first);
    expect(parseRestartWindows('Thu').opensMs(0)).toBe(first.opensMs(0));
  });

  it('keeps little of each, because every object may have windows of its own', () => {
    const before = retainedBytes();
    const kept = Array.from({ length: 40 }, (_, n) => {
      const ten = Array.from({ length: 10 }, (_each, hour) => `0${hour}:00-0${hour}:${10 + n}`);
      const windows = parseRestartWindows(ten.join('; '));
      windows.opensMs(0);
      return windows;
    });
    expect((retainedBytes() - before) / kept.length).toBeLessThan(20_000);
  });

  it('shows them on one line', () => {
    expect(parseRestartWindows(' Sat\u2028UTC;\n Sun ').text).toBe('Sat UTC; Sun');
  });

  it('answers the same in any order of questions', () => {
    const startMs = Date.parse('2026-11-25T00:00:00Z');
    const text = 'Mon-Fri 22:00-05:00; Thu 04:00-06:00';
    const remembering = parseRestartWindows(text);
    for (let hour = 0; hour < 100; hour++) {
      const nowMs = startMs + ((hour * 37) % 100) * 3_600_000;
      // Another text, so another object, which was asked nothing yet.
      const fresh = parseRestartWindows(text + ' '.repeat(hour + 1));
      expect(remembering.opensMs(nowMs)).toBe(fresh.opensMs(nowMs));
    }
  });

  it('keeps the answer about now while others ask about later times', () => {
    const { opensMs } = parseRestartWindows('Mon-Fri 22:00-06:00');
    const nowMs = Date.parse('2026-11-25T00:00:00Z');
    opensMs(nowMs);
    const schedules = jest.spyOn(Cron.prototype, 'nextRun');
    try {
      for (const laterMs of [1, 2, 3].map((days) => nowMs + days * 86_400_000)) {
        opensMs(nowMs);
        expect(schedules).not.toHaveBeenCalled();
        opensMs(laterMs);
        schedules.mockClear();
        for (const askedMs of [nowMs, laterMs]) opensMs(askedMs);
        expect(schedules).not.toHaveBeenCalled();
      }
    } finally {
      schedules.mockRestore();
    }
  });
});
