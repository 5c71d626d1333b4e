import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys as keys } from '../annotations/annotations';
import { pausedForMs, readPause, type Pause } from './pause';
import { workloadKind, workloadKinds } from '../kubernetes/workload-kinds';

const deployment = workloadKind('Deployment');
const noon = '2026-01-01T12:00:00Z';
const noonMs = Date.parse(noon);

describe('readPause', () => {
  it.each<[string | undefined, number | undefined, number]>([
    ['5m', 300_000, 0],
    ['300ms', 300, 0],
    ['1.5h', 5_400_000, 0],
    ['2h45m', 9_900_000, 0],
    ['0', undefined, 1],
    ['0s', undefined, 1],
    ['-5m', undefined, 1],
    ['5', undefined, 1],
    ['1d', undefined, 1],
    ['5 m', undefined, 1],
    ['', undefined, 1],
  ])('§8 period %j is %j ms', (period, periodMs, problems) => {
    const read = readPause(deployment, {}, { [keys.pausePeriod]: period }, keys);
    expect(read.pause?.periodMs).toBe(periodMs);
    expect(read.problems).toHaveLength(problems);
  });

  it.each<[object, Pause | undefined]>([
    [{}, undefined],
    [{ [keys.pausedAt]: '' }, undefined],
    [{ [keys.pausedAt]: noon }, { paused: true, periodMs: undefined, since: noonMs }],
    [{ [keys.pausedAt]: 'noon' }, { paused: true, periodMs: undefined, since: 'unreadable' }],
    [{ [keys.pausedAt]: '2026-01-01T13:00:00+01:00' }, { paused: true, periodMs: undefined, since: noonMs }],
    [{ [keys.pausePeriod]: '1m' }, { paused: true, periodMs: 60_000, since: undefined }],
  ])('§8 a paused Deployment with %j', (metadata, pause) => {
    expect(readPause(deployment, { spec: { paused: true } }, { ...metadata }, keys).pause).toEqual(pause);
  });

  it.each([[false], [undefined], ['true'], [1]])('spec.paused %j is not paused', (paused) => {
    expect(readPause(deployment, { spec: { paused } }, { [keys.pausePeriod]: '1m' }, keys).pause?.paused).toBe(false);
  });

  it.each(workloadKinds.filter(({ kind }) => kind !== 'Deployment'))(
    '§8 a $kind gets a warning and is not paused',
    (kind) => {
      const read = readPause(kind, { spec: { paused: true } }, { [keys.pausePeriod]: '1m' }, keys);
      expect(read).toEqual({
        problems: [
          {
            ...{ code: 'wrong-kind', key: keys.pausePeriod, value: '1m' },
            ...{ message: 'counts on a Deployment only', fix: 'remove it' },
          },
        ],
      });
    },
  );

  it('uses the configured keys', () => {
    const renamed = { pausePeriod: 'example.com/wait', pausedAt: 'example.com/since' };
    expect(readPause(deployment, {}, { 'example.com/wait': '1m', 'example.com/since': noon }, renamed).pause).toEqual({
      ...{ paused: false, periodMs: 60_000, since: noonMs },
    });
  });
});

describe('pausedForMs', () => {
  const held: Pause = { paused: true, periodMs: 60_000, since: noonMs };

  it.each<[string, Partial<Pause>, number, number | undefined]>([
    ['its beginning', {}, 0, 60_000],
    ['half of it', {}, 30_000, 30_000],
    ['its end', {}, 60_000, 0],
    ['long after', {}, 3_600_000, 0],
    ['a start in the future', {}, -3_600_000, 60_000],
    ['a longer period', { periodMs: 120_000 }, 60_000, 60_000],
    ['a removed period', { periodMs: undefined }, 0, 0],
    ['an unreadable start', { since: 'unreadable' }, 0, 0],
    ['somebody else’s pause', { since: undefined }, 0, undefined],
    ['a pause that somebody ended', { paused: false }, 0, undefined],
  ])('§8 at %s', (_, pause, sinceMs, left) => {
    expect(pausedForMs({ ...held, ...pause }, noonMs + sinceMs)).toBe(left);
  });
});
