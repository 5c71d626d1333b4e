import { describe, expect, it } from '@jest/globals';
import { isLeftToNextRun, readSettings } from './workload-settings';

describe('isLeftToNextRun', () => {
  it.each([
    ['CronJob', { cronJobPolicy: 'next-run' }, true],
    ['CronJob', { cronJobPolicy: 'run-now' }, false],
    ['CronJob', { jobPolicy: 'next-run' }, false],
    ['CronJob', {}, false],
    ['Job', { jobPolicy: 'next-run' }, true],
    ['Job', { cronJobPolicy: 'next-run' }, false],
    ['Deployment', { jobPolicy: 'next-run', cronJobPolicy: 'next-run' }, false],
  ] as const)('%s with %j: %s', (kind, settings, expected) => {
    expect(isLeftToNextRun(kind, settings)).toBe(expected);
  });
});

describe('readSettings', () => {
  it('workloads without settings share one record', () => {
    expect(readSettings({})).toEqual({ settings: {}, problems: [] });
    expect(readSettings({}).settings).toBe(readSettings({ other: 'x' }).settings);
  });

  it.each([
    ['strategy', 'env-vars', { strategy: 'env-vars' }],
    ['strategy', 'annotations', { strategy: 'annotations' }],
    ['strategy', 'restarted-at', { strategy: 'restarted-at' }],
    ['settle', '1.5s', { settleMs: 1500 }],
    ['settle', '0', { settleMs: 0 }],
    ['settle-max', '1m', { settleMaxMs: 60_000 }],
    ['settle', '1h', { settleMs: 3_600_000 }],
    ['job-policy', 'run-now', { jobPolicy: 'run-now' }],
    ['job-policy', 'next-run', { jobPolicy: 'next-run' }],
    ['cronjob-policy', 'never', { cronJobPolicy: 'never' }],
  ])('reads reroll.dev/%s: %s', (name, value, settings) => {
    expect(readSettings({ [`reroll.dev/${name}`]: value })).toEqual({ settings, problems: [] });
  });

  it.each([
    ['settle', '99999h', { settleMs: 3_600_000 }],
    ['settle-max', '1h1ms', { settleMaxMs: 3_600_000 }],
  ])('caps reroll.dev/%s: %s at the longest wait', (name, value, settings) => {
    const key = `reroll.dev/${name}`;
    const message = 'is longer than 1h and counts as 1h';
    expect(readSettings({ [key]: value })).toEqual({
      settings,
      problems: [{ code: 'bad-window', key, value, message, fix: 'write a shorter one' }],
    });
  });

  it.each([
    ['10s', '5s', 1],
    ['10s', '10s', 0],
    ['5s', '10s', 0],
  ])('settle %s with settle-max %s has %i problems', (settle, settleMax, count) => {
    const { settings, problems } = readSettings({ 'reroll.dev/settle': settle, 'reroll.dev/settle-max': settleMax });
    expect(Object.keys(settings)).toEqual(['settleMs', 'settleMaxMs']);
    expect(problems.map(({ key, value, message }) => `${key}=${value} ${message}`)).toEqual(
      Array.from(
        { length: count },
        () => 'reroll.dev/settle=10s is longer than reroll.dev/settle-max, after which nothing is waited for',
      ),
    );
  });

  it.each([
    ['strategy', 'envvars', 'use one of env-vars, annotations, restarted-at'],
    ['strategy', '', 'use one of'],
    ['settle', '5', 'write one such as'],
    ['settle', '-1s', 'write one such as'],
    ['settle-max', 'soon', 'write one such as'],
    ['job-policy', 'Never', 'use one of run-now, next-run, never'],
    ['cronjob-policy', ' never', 'use one of run-now, next-run, never'],
  ])('reports reroll.dev/%s: %j and uses the default', (name, value, fix) => {
    const key = `reroll.dev/${name}`;
    const { settings, problems } = readSettings({
      [key]: value,
      'reroll.dev/settle-max': name === 'settle-max' ? value : '9s',
    });
    expect(settings).toEqual(name === 'settle-max' ? {} : { settleMaxMs: 9_000 });
    expect(problems).toEqual([
      expect.objectContaining({
        key,
        value,
        message: expect.stringContaining('no effect'),
        fix: expect.stringContaining(fix),
      }),
    ]);
  });

  it.each([
    ['5s', '10s', []],
    ['5s', '5s', []],
    ['10s', '5s', ['bad-window']],
  ])('a settle window of %s within %s: %j', (settle, settleMax, codes) => {
    const { problems } = readSettings({ 'reroll.dev/settle': settle, 'reroll.dev/settle-max': settleMax });
    expect(problems.map(({ code }) => code)).toEqual(codes);
  });
});
