import { describe, expect, it } from '@jest/globals';
import { formatHold, isInForce, readHold, type HoldSetting } from './hold';

const dayMs = Date.parse('2026-12-01T06:00:00Z');
const spaces = ' '.repeat(200_000);
const open = { untilMs: undefined, because: undefined };

/** What this process computes meanwhile. */
function cpuMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return process.cpuUsage(before).user / 1_000;
}

describe('readHold', () => {
  it.each<[string, HoldSetting]>([
    ['true', open],
    ['', open],
    [' true ', open],
    ['false', 'off'],
    ['until=2026-12-01T06:00:00Z', { untilMs: dayMs, because: undefined }],
    ['until=2028-02-29T00:00:00+01:00', { untilMs: Date.parse('2028-02-28T23:00:00Z'), because: undefined }],
    ['until=2026-12-01T06:00Z', { untilMs: dayMs, because: undefined }],
    ['until=2026-12-01T07:00:00.5+01:00', { untilMs: dayMs + 500, because: undefined }],
    ['because=release freeze', { untilMs: undefined, because: 'release freeze' }],
    ['until=2026-12-01T06:00:00Z, because=a, b = c', { untilMs: dayMs, because: 'a, b = c' }],
    ['until = 2026-12-01T06:00:00Z ,because= audit ', { untilMs: dayMs, because: 'audit' }],
  ])('reads %j', (text, hold) => {
    expect(readHold(text)).toEqual({ hold, isClear: true });
  });

  it.each<[string, HoldSetting]>([
    ['until=tomorrow', open],
    ['until=2026-12-01', open],
    ['until=2026-13-01T06:00:00Z', open],
    ['until=2027-02-30T00:00:00Z', open],
    ['until=2027-02-29T00:00:00+01:00', open],
    ['until=2026-04-31T06:00Z', open],
    ['until=9999-12-31T24:00:00Z', open],
    ['until=9999-12-31T23:59:59-12:00', open],
    ['until=,because=x', { untilMs: undefined, because: 'x' }],
    ['release freeze', { untilMs: undefined, because: 'release freeze' }],
    ['False', { untilMs: undefined, because: 'False' }],
    ['until=2026-12-01T06:00:00Z, freeze', { untilMs: undefined, because: 'until=2026-12-01T06:00:00Z, freeze' }],
    ['until=2026-12-01T06:00:00Z,', { untilMs: undefined, because: 'until=2026-12-01T06:00:00Z,' }],
    ['until=2026-12-01T06:00:00Z because=x', open],
    ['=', { untilMs: undefined, because: '=' }],
  ])('holds without an end for %j, which it cannot read', (text, hold) => {
    expect(readHold(text)).toEqual({ hold, isClear: false });
  });

  it('makes the reason fit to be shown, and short', () => {
    expect(readHold('because=x\u202ey\n').hold).toEqual({ untilMs: undefined, because: String.raw`x\u202ey` });
    const { hold } = readHold(`because=${'x'.repeat(100_000)}`);
    expect(Buffer.byteLength((hold as { because: string }).because)).toBe(200);
  });

  /** A pattern that may match spaces in several ways takes hours for such a text, and it is read at each event. */
  it.each([
    ['before a comma', `until=${spaces},x`],
    ['in a reason', `because=a${spaces}x`],
    ['behind a name', `until${spaces}x`],
  ])('takes no longer for many spaces %s', (_where, text) => {
    expect(cpuMsOf(() => readHold(text))).toBeLessThan(200);
  });

  it.each([
    open,
    { untilMs: dayMs, because: undefined },
    { untilMs: dayMs, because: 'a, b' },
    { ...open, because: 'x' },
  ])('reads what formatHold writes for %j', (hold) => {
    expect(readHold(formatHold(hold))).toEqual({ hold, isClear: true });
  });
});

describe('isInForce', () => {
  it.each<[HoldSetting | undefined, boolean]>([
    [undefined, false],
    ['off', false],
    [open, true],
    [{ untilMs: dayMs + 1, because: undefined }, true],
    [{ untilMs: dayMs, because: undefined }, false],
  ])('of %j', (hold, inForce) => {
    expect(isInForce(hold, dayMs)).toBe(inForce);
  });
});
