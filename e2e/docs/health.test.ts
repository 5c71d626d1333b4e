import { describe, expect, it } from '@jest/globals';
import { rolloutStage, type RestartedUser } from '../../shared/domain/gates/source-rollout';
import { parseOptions } from '../../shared/runtime/options/options';
import { stageOptionTable, stagesOf } from '../../shared/runtime/options/stage-options';
import { textOf } from './pages';
import { tableAfter } from './tables';

const page = textOf('docs/health.md');
const settings = stagesOf(parseOptions(stageOptionTable, [], {}));
const nowMs = Date.UTC(2026, 0, 1);

/** `41, one of which has failed` */
function restartedIn(cell: string): readonly RestartedUser[] {
  const [, count = '0', , forS = '3600'] = /^(\d+), (all )?healthy(?: for (\d+) s)?$/.exec(cell) ?? [];
  const healthySinceMs = nowMs - Number(forS) * 1_000;
  const [, others = count, what = ''] = /^(\d+), (?:one of )?which (.*)$/.exec(cell) ?? [];
  const users = Array.from({ length: cell === 'none' ? 0 : Number(others) }, (_, n): RestartedUser => {
    const title = `w-${n}`;
    return {
      key: title,
      title,
      restartedAtMs: nowMs - 90_000 + n,
      state: 'healthy',
      isForIt: true,
      deadlineFromMs: nowMs - 90_000 + n,
      healthySinceMs,
    };
  });
  const last = users.at(-1);
  if (what === '' || !last) return users;
  const state = what === 'has failed' ? 'failed' : 'rolling';
  const restartedAtMs = what.endsWith('10 min') ? nowMs - 600_000 : last.restartedAtMs;
  return [
    ...users.slice(0, -1),
    { ...last, state, restartedAtMs, deadlineFromMs: restartedAtMs, healthySinceMs: undefined },
  ];
}

function inWords(users: number, restarted: readonly RestartedUser[]): string {
  const stage = rolloutStage({ users, restarted, nowMs }, settings);
  switch (stage.is) {
    case 'open':
      return 'all begin';
    case 'begins':
      return stage.mayBegin === 1 ? '1 begins' : `${stage.mayBegin} begin`;
    case 'waits':
      return 'wait';
    case 'stopped':
    case 'rolled-back':
      return 'are stopped';
  }
}

describe('docs/health.md, the stages', () => {
  const rows = tableAfter(page, 'The stages');

  it('has a row for each answer', () => {
    expect(new Set(rows.map(([, , told = '']) => told.replace(/^\d+ begins?/, 'n begin')))).toEqual(
      new Set(['n begin', 'all begin', 'wait', 'are stopped']),
    );
  });

  it.each(rows)('%s users, %s: %s', (users = '', restarted = '', told) => {
    expect(inWords(Number(users), restartedIn(restarted))).toBe(told);
  });

  it('begin at the number of users that is the default', () => {
    expect(page).toContain(`sources with ${settings.fromUsers} or more users`);
    expect([settings.healthyForMs, settings.deadlineMs]).toEqual([30_000, 600_000]);
  });
});
