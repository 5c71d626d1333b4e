import { describe, expect, it } from '@jest/globals';
import { withChecks, type CheckVerdict, type RolledOut } from './checked-user';

const healthy: RolledOut = { state: 'healthy', deadlineFromMs: 1_000, sinceMs: 5_000 };
const rolledOutAtMs = 70_000;
const check = 'reroll.dev/healthy-url: status 503';

describe('withChecks', () => {
  it.each<[string, RolledOut, CheckVerdict, RolledOut]>([
    ['has none', healthy, { is: 'none' }, healthy],
    ['has one that is not asked, and says so', healthy, { is: 'none', check }, { ...healthy, check }],
    [
      'is not healthy before it is asked, and has time',
      healthy,
      { is: 'pending' },
      { state: 'held', deadlineFromMs: undefined, sinceMs: undefined },
    ],
    [
      'goes on rolling while it fails',
      healthy,
      { is: 'fails', check },
      { state: 'rolling', deadlineFromMs: 1_000, sinceMs: undefined, check },
    ],
    ['is healthy since it passes', healthy, { is: 'passes', sinceMs: 9_000 }, { ...healthy, sinceMs: 9_000 }],
    ['is healthy since it is rolled out', healthy, { is: 'passes', sinceMs: 1_000 }, healthy],
    [
      'is a Job that its check may stop, and has time from when it was complete',
      { ...healthy, deadlineFromMs: undefined },
      { is: 'fails', check },
      { state: 'rolling', deadlineFromMs: rolledOutAtMs, sinceMs: undefined, check },
    ],
    [
      'is a CronJob, of whose pods nothing else is known',
      { state: 'unknown', deadlineFromMs: 1_000, sinceMs: 0 },
      { is: 'fails', check },
      { state: 'rolling', deadlineFromMs: 1_000, sinceMs: undefined, check },
    ],
  ])('one that %s', (_what, rollout, verdict, expected) => {
    expect(withChecks(rollout, verdict, rolledOutAtMs)).toEqual(expected);
  });
});
