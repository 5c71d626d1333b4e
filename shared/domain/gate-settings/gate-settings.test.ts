import { describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AnnotationBearer } from '../annotations/annotations';
import { readGateSettings, sameGateSettings, textOfKeys, type GateSettings } from './gate-settings';

const hold = 'reroll.dev/hold';
const restart = 'reroll.dev/restart';
const windows = 'reroll.dev/windows';
const minInterval = 'reroll.dev/min-interval';
const urgent = 'reroll.dev/urgent';
const maxRolling = 'reroll.dev/max-rolling';
const wave = 'reroll.dev/wave';
const after = 'reroll.dev/after';
const healthyUrl = 'reroll.dev/healthy-url';
const healthyQuery = 'reroll.dev/healthy-query';
const keys = 'reroll.dev/keys';
const compare = 'reroll.dev/compare';

function read(annotations: Record<string, unknown>, bearer: AnnotationBearer = 'workload') {
  return readGateSettings(annotations, bearer);
}

/** The heap without what nothing refers to. */
function retainedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
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
    [wave, '-10', { wave: -10 }],
    [after, 'deployment/db', { after: [{ kind: 'Deployment', name: 'db' }] }],
    [
      healthyUrl,
      'http://web:8080/x',
      { healthyUrl: { protocol: 'http', service: 'web', namespace: undefined, port: 8080, path: '/x' } },
    ],
    [healthyQuery, 'up == 1', { healthyQuery: { promQl: 'up == 1' } }],
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

  it.each<[AnnotationBearer, string, string, GateSettings | undefined, string | undefined]>([
    ['namespace', maxRolling, '5', { maxRolling: { count: 5, unit: 'workloads' } }, undefined],
    ['source', maxRolling, '20 pods', { maxRolling: { count: 20, unit: 'pods' } }, undefined],
    ['source', maxRolling, 'off', { maxRolling: 'off' }, undefined],
    ['namespace', maxRolling, '25%', undefined, 'bad-choice'],
    ['workload', maxRolling, '5', undefined, 'wrong-place'],
    ['source', wave, '10', undefined, 'wrong-place'],
    ['workload', healthyUrl, 'http://10.0.0.1/', { healthyUrl: 'unreadable' }, 'bad-check'],
    ['workload', healthyQuery, '', { healthyQuery: 'unreadable' }, 'bad-check'],
    ['source', healthyUrl, 'http://10.0.0.1/', undefined, 'wrong-place'],
    ['namespace', healthyQuery, 'up', undefined, 'wrong-place'],
    ['namespace', after, 'deployment/db', undefined, 'wrong-place'],
  ])('reads on a %s %s: %j', (bearer, key, value, settings, code) => {
    const found = read({ [key]: value }, bearer);
    expect([found.settings, found.problems[0]?.code]).toEqual([settings, code]);
  });

  it.each([
    [wave, '1.5', 'bad-order', 'is not a whole number and has no effect'],
    [after, 'db', 'bad-order', 'has no effect: "db" is not a kind and a name'],
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

  it.each<[AnnotationBearer, string, string | undefined, string | undefined]>([
    ['workload', '!comment.*, app.yaml', '!comment.*,app.yaml', undefined],
    ['source', 'app.yaml', 'app.yaml', undefined],
    ['workload', '(app|log).yaml', 'all', 'bad-keys'],
    ['source', '', 'all', 'bad-keys'],
    ['source', 'a'.repeat(501), 'all', 'over-budget'],
    ['namespace', 'app.yaml', undefined, 'wrong-place'],
  ])('reads on a %s the keys that count: %j', (bearer, value, text, code) => {
    const { settings, problems } = read({ [keys]: value }, bearer);
    expect([textOfKeys(settings?.keys), problems[0]?.code]).toEqual([text, code]);
  });

  it.each<[AnnotationBearer, string, GateSettings | undefined, string | undefined]>([
    ['source', 'parsed', { compare: 'parsed' }, undefined],
    ['source', 'bytes', { compare: 'bytes' }, undefined],
    ['source', 'Parsed', undefined, 'bad-choice'],
    ['workload', 'parsed', undefined, 'wrong-place'],
    ['namespace', 'parsed', undefined, 'wrong-place'],
  ])('reads on a %s how it is compared: %j', (bearer, value, settings, code) => {
    const found = read({ [compare]: value }, bearer);
    expect([found.settings, found.problems[0]?.code]).toEqual([settings, code]);
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
    [{ [wave]: '1' }, { [wave]: '2' }, false],
    [{ [after]: 'job/a' }, { [after]: 'jobs/a' }, true],
    [{ [keys]: 'a,!b' }, { [keys]: '!b, a' }, true],
    [{ [keys]: 'a' }, { [keys]: 'b' }, false],
    [{ [keys]: 'a' }, {}, false],
    [{ [windows]: 'Sat', [minInterval]: '1h' }, { [windows]: 'Sat', [minInterval]: '60m' }, true],
  ])('of %j and %j: %s', (left, right, same) => {
    expect(sameGateSettings(of(left), of(right))).toBe(same);
  });
});

it.each([
  ['after', 'deployment/database-of-the-shop'],
  ['healthy-query', 'sum(rate(errors_total[1m])) < 1'],
  ['hold', 'because=some long release freeze'],
  ['keys', 'application.yaml,application.json'],
])('keeps %s without the white space around it, however much that is', (name, value) => {
  const kept: unknown[] = [];
  const before = retainedBytes();
  for (let n = 0; n < 50; n++) {
    const json = JSON.stringify({ [`reroll.dev/${name}`]: `${' '.repeat(200_000)}${value}` });
    kept.push(readGateSettings(JSON.parse(json) as Record<string, string>, 'workload').settings);
  }
  expect((retainedBytes() - before) / kept.length).toBeLessThan(50_000);
  expect(kept.every((settings) => settings !== undefined)).toBe(true);
});
