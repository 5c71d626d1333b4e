import { describe, expect, it } from '@jest/globals';
import type { AnnotationBearer } from '../annotations/annotations';
import { readGateSettings, sameGateSettings, type GateSettings } from './gate-settings';

const hold = 'reroll.dev/hold';
const restart = 'reroll.dev/restart';
const windows = 'reroll.dev/windows';
const minInterval = 'reroll.dev/min-interval';
const urgent = 'reroll.dev/urgent';

function read(annotations: Record<string, unknown>, bearer: AnnotationBearer = 'workload') {
  return readGateSettings(annotations, bearer);
}

describe('readGateSettings', () => {
  it('is undefined for an object without any', () => {
    expect(read({ other: 'x', [hold]: 5 })).toEqual({ settings: undefined, problems: [] });
  });

  it.each<[string, string, GateSettings]>([
    [hold, 'because=audit', { hold: { untilMs: undefined, because: 'audit' } }],
    [hold, 'false', { hold: 'off' }],
    [restart, 'next-rollout', { mode: 'next-rollout' }],
    [restart, 'now', { mode: 'now' }],
    [windows, 'always', { windows: 'always' }],
    [minInterval, '1h30m', { minIntervalMs: 5_400_000 }],
    [minInterval, '0', { minIntervalMs: 0 }],
    [minInterval, '720h', { minIntervalMs: 720 * 3_600_000 }],
  ])('reads %s: %j', (key, value, settings) => {
    expect(read({ [key]: value })).toEqual({ settings, problems: [] });
  });

  it('reads windows', () => {
    expect(read({ [windows]: 'Sat' }).settings?.windows).toMatchObject({ text: 'Sat' });
  });

  it.each<[AnnotationBearer, string, GateSettings | undefined, string | undefined]>([
    ['source', 'true', { isUrgent: true }, undefined],
    ['source', 'false', { isUrgent: false }, undefined],
    ['source', 'yes', undefined, 'bad-boolean'],
    ['workload', 'true', undefined, 'wrong-place'],
    ['namespace', 'true', undefined, 'wrong-place'],
  ])('reads on a %s that it is urgent: %j', (bearer, value, settings, code) => {
    const found = read({ [urgent]: value }, bearer);
    expect([found.settings, found.problems[0]?.code]).toEqual([settings, code]);
  });

  it.each([
    [restart, 'later', 'bad-choice', 'is not a choice and has no effect'],
    [windows, 'banana', 'bad-window', 'has no effect: "banana" is no day and no range of days; write Mon, or Mon-Fri'],
    [minInterval, '1d', 'bad-duration', 'is not a duration and has no effect'],
    [minInterval, '-1s', 'bad-duration', 'is not between 0 and 720h, and has no effect'],
    [minInterval, '721h', 'bad-duration', 'is not between 0 and 720h, and has no effect'],
  ])('reports %s: %j, and keeps the others', (key, value, code, message) => {
    const { settings, problems } = read({ [key]: value, [hold]: 'true' });
    expect(settings).toEqual({ hold: { untilMs: undefined, because: undefined } });
    expect(problems).toMatchObject([{ key, value, code, message }]);
  });

  it('reports a hold that it cannot read, and it holds', () => {
    const { settings, problems } = read({ [hold]: 'until=banana' });
    expect(settings).toEqual({ hold: { untilMs: undefined, because: undefined } });
    expect(problems).toMatchObject([{ code: 'bad-hold', key: hold, value: 'until=banana' }]);
  });
});

describe('sameGateSettings', () => {
  const of = (annotations: Record<string, string>): GateSettings | undefined => read(annotations).settings;

  it.each([
    [{}, {}, true],
    [{}, { [hold]: 'true' }, false],
    [{ [hold]: 'true' }, { [hold]: 'true' }, true],
    [{ [hold]: 'true' }, { [hold]: 'because=x' }, false],
    [{ [windows]: 'Sat' }, { [windows]: 'Sun' }, false],
    [{ [windows]: 'Sat' }, { [windows]: 'always' }, false],
    [{ [windows]: 'Sat', [minInterval]: '1h' }, { [windows]: 'Sat', [minInterval]: '60m' }, true],
  ])('of %j and %j: %s', (left, right, same) => {
    expect(sameGateSettings(of(left), of(right))).toBe(same);
  });
});
