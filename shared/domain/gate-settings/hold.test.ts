import { describe, expect, it } from '@jest/globals';
import { formatHold, isInForce, readHold, type HoldSetting } from './hold';

const dayMs = Date.parse('2026-12-01T06:00:00Z');
const open = { untilMs: undefined, because: undefined };

describe('readHold', () => {
  it.each<[string, HoldSetting]>([
    ['true', open],
    ['', open],
    [' true ', open],
    ['false', 'off'],
    ['until=2026-12-01T06:00:00Z', { untilMs: dayMs, because: undefined }],
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
    ['until=,because=x', { untilMs: undefined, because: 'x' }],
    ['release freeze', { untilMs: undefined, because: 'release freeze' }],
    ['False', { untilMs: undefined, because: 'False' }],
  ])('holds without an end for %j, which it cannot read', (text, hold) => {
    expect(readHold(text)).toEqual({ hold, isClear: false });
  });

  it('makes the reason fit to be shown, and short', () => {
    expect(readHold('because=x\u202ey\n').hold).toEqual({ untilMs: undefined, because: String.raw`x\u202ey` });
    const { hold } = readHold(`because=${'x'.repeat(100_000)}`);
    expect(Buffer.byteLength((hold as { because: string }).because)).toBe(200);
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
