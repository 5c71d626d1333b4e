import { describe, expect, it, test } from '@jest/globals';
import type { StageSettings } from '../gate-settings/stage-settings';
import { rolloutStage, usersOfStage, type RestartedUser } from './source-rollout';

const settings: StageSettings = { fromUsers: 20, healthyForMs: 30_000, deadlineMs: 600_000 };
const nowMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

function user(title: string, state: Partial<RestartedUser> | RestartedUser['state'] = 'healthy'): RestartedUser {
  const given = typeof state === 'string' ? { state } : state;
  const healthy = { state: 'healthy' as const, healthySinceMs: nowMs - minuteMs };
  const isHealthy = (given.state ?? 'healthy') === 'healthy';
  const restartedAtMs = given.restartedAtMs ?? nowMs - 2 * minuteMs;
  return {
    ...{ key: title, title, restartedAtMs, isForIt: true, hasRestartedSince: false, deadlineFromMs: restartedAtMs },
    ...(isHealthy ? healthy : { state: 'rolling', healthySinceMs: undefined }),
    ...given,
  };
}

function many(count: number): readonly RestartedUser[] {
  return Array.from({ length: count }, (_, n) => user(`w-${n}`, { restartedAtMs: nowMs - 2 * minuteMs + n }));
}

function stage(users: number, restarted: readonly RestartedUser[], atMs = nowMs): string {
  const found = rolloutStage({ users, restarted, nowMs: atMs }, settings);
  switch (found.is) {
    case 'open':
      return 'open';
    case 'begins':
      return `${found.mayBegin} more`;
    case 'waits':
      return `waits for ${found.waitsFor.title}, ${(found.untilMs - atMs) / 1000} s`;
    case 'stopped':
      return `stopped by ${found.failed.title}`;
    case 'rolled-back':
      return 'rolled back';
  }
}

describe('rolloutStage', () => {
  test.each<[string, number, readonly RestartedUser[], string]>([
    ['one goes first', 1000, [], '1 more'],
    ['a tenth follows the healthy canary', 1000, many(1), '100 more'],
    ['a tenth is rounded up', 21, many(1), '3 more'],
    ['of the tenth, as many as have not begun', 1000, many(41), '60 more'],
    ['the rest follows a healthy tenth', 1000, many(101), 'open'],
    ['the rest that has begun goes on', 1000, many(102), 'open'],
    ['whatever fails in the rest', 1000, [...many(101), user('bad', 'failed')], 'open'],
    ['of two, one goes first', 2, [], '1 more'],
    ['of two, the other follows', 2, many(1), 'open'],
    ['one alone begins', 1, [], '1 more'],
    ['one alone proves what it has to', 1, many(1), 'open'],
    ['one alone stops if it fails', 1, [user('bad', 'failed')], 'stopped by bad'],
  ])('%s', (_what, users, restarted, expected) => {
    expect(stage(users, restarted)).toBe(expected);
  });

  it('does not begin the rest because many have restarted for something else: they waited for nobody', () => {
    const others = many(150).map((each) => ({ ...each, isForIt: false }));
    expect(stage(1000, others)).toBe('1 more');
    expect(stage(1000, [...others, user('canary', 'rolling')])).toBe('waits for canary, 480 s');
  });

  it('waits until the canary has been healthy for a time, to the millisecond', () => {
    const canary = [user('canary', { healthySinceMs: nowMs })];
    expect(stage(1000, canary)).toBe('waits for canary, 30 s');
    expect(stage(1000, canary, nowMs + 29_999)).toBe('waits for canary, 0.001 s');
    expect(stage(1000, canary, nowMs + 30_000)).toBe('100 more');
  });

  it('waits for the last of the tenth', () => {
    const tenth = [...many(100), user('late', { healthySinceMs: nowMs - 10_000 })];
    expect(stage(1000, tenth)).toBe('waits for late, 20 s');
    expect(stage(1000, [...many(100), user('rolling', 'rolling')])).toBe('waits for rolling, 480 s');
  });

  it('does not take one that was healthy for that: a new leader that cannot know since when counts anew', () => {
    expect(stage(1000, [user('canary', { healthySinceMs: undefined })])).toBe('waits for canary, Infinity s');
  });

  it('stops at the deadline, to the millisecond, and not while it is healthy', () => {
    const canary = [user('canary', 'rolling')];
    const deadlineMs = nowMs + 8 * minuteMs;
    expect(stage(1000, canary, deadlineMs - 1)).toBe('waits for canary, 0.001 s');
    expect(stage(1000, canary, deadlineMs)).toBe('stopped by canary');
    const late = [user('canary', { healthySinceMs: deadlineMs })];
    expect(stage(1000, late, deadlineMs)).toBe('waits for canary, 30 s');
  });

  it.each<[string, Partial<RestartedUser>, string]>([
    ['a Deployment over its progress deadline', { state: 'failed' }, 'stopped by canary'],
    ['a failed Job', { state: 'failed', deadlineFromMs: undefined }, 'stopped by canary'],
    ['a Job that runs for hours', { state: 'held', deadlineFromMs: undefined }, 'waits for canary, Infinity s'],
    [
      'a Job that is done, and whose check fails',
      { state: 'rolling', deadlineFromMs: nowMs },
      'waits for canary, 600 s',
    ],
    ['one that somebody has paused', { state: 'held' }, 'stopped by canary'],
    ['one whose pods a person replaces', { state: 'unknown', healthySinceMs: 0 }, '100 more'],
  ])('%s as the canary', (_what, given, expected) => {
    expect(stage(1000, [user('canary', { restartedAtMs: 0, healthySinceMs: undefined, ...given })])).toBe(expected);
  });

  it('stops while the tenth is still beginning', () => {
    expect(stage(1000, [...many(40), user('bad', 'failed')])).toBe('stopped by bad');
  });

  it('does not judge the canary again when it has proved what it had to: its node may go down later', () => {
    const canary = user('canary', { restartedAtMs: 0, state: 'rolling', healthySinceMs: undefined });
    expect(stage(1000, [...many(40), canary])).toBe('60 more');
    expect(stage(1000, [...many(100), canary])).toBe('open');
    expect(stage(1000, [canary])).toBe('stopped by canary');
  });

  it('takes one that restarted for something else since for neither canary nor tenth, but for what it shows', () => {
    const other = (state: RestartedUser['state']) => user('other', { state, isForIt: false });
    expect(stage(1000, [other('healthy')])).toBe('1 more');
    expect(stage(1000, [other('failed')])).toBe('stopped by other');
    expect(stage(1000, [user('canary', 'rolling'), other('healthy')])).toBe('waits for canary, 480 s');
    expect(stage(1000, [...many(1), other('healthy')])).toBe('100 more');
  });

  it('begins anew when the one that had failed is deleted', () => {
    expect(stage(1000, [user('canary', 'failed')])).toBe('stopped by canary');
    expect(stage(999, [])).toBe('1 more');
  });
});

/** The canary, which has restarted for something else after the second one had followed it. */
function restartedSince(secondState: RestartedUser['state']): readonly RestartedUser[] {
  const since = { hasRestartedSince: true, restartedAtMs: nowMs - minuteMs };
  return [user('w-1', secondState), user('w-0', since)];
}

it('the second one stops the others also if the canary has restarted for something else since', () => {
  expect(stage(3, restartedSince('failed'))).toBe('stopped by w-1');
});

describe('usersOfStage', () => {
  it.each<[string, readonly RestartedUser[], readonly string[]]>([
    ['the canary alone', many(1), ['w-0']],
    ['those after it', many(3), ['w-1', 'w-2']],
    ['one that restarted for something else since', [...many(2), user('other', { isForIt: false })], ['w-1', 'other']],
    ['all, if one of them has restarted for something else since', restartedSince('healthy'), ['w-1', 'w-0']],
    ['none', [], []],
  ])('are %s', (_what, restarted, expected) => {
    expect(usersOfStage(restarted).map(({ title }) => title)).toEqual(expected);
  });
});
