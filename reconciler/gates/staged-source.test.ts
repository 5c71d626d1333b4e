import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { workloadKey, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { StagedSource, type RestartedSince, type UserStanding } from './staged-source';

const source = { kind: 'ConfigMap', namespace: 'default', name: 'app' } as const;

/** Users of one source, in stages. All owe a restart at first. */
function usersOf(count: number) {
  const clock = new FakeClock();
  const keys = Array.from({ length: count }, (_, n) =>
    workloadKey('Deployment', 'default', `w${String(n).padStart(5, '0')}`),
  );
  const standings = new Map<WorkloadKey, UserStanding>(keys.map((key) => [key, 'owes']));
  const seen = { states: 0 };
  const staged = new StagedSource({
    ...{ source, basis: '1', changeId: 'cm/app@1', isRolledBack: false, judgesLast: false, users: keys, clock },
    settings: { fromUsers: 2, healthyForMs: 0, deadlineMs: 600_000 },
    standing: (key) => standings.get(key),
    mayBegin: () => true,
    isStuck: () => false,
  });
  const stand = (key: WorkloadKey | undefined, standing: UserStanding): void => {
    if (key === undefined) throw new Error('no such user');
    standings.set(key, standing);
    staged.touch(key);
  };
  const restarted = (key: WorkloadKey): RestartedSince => ({
    ...{ key, title: key, restartedAtMs: clock.nowMs(), isForIt: true, hasRestartedSince: false },
    ...{ isChecked: false, mayProve: true },
    get state() {
      seen.states++;
      return 'healthy' as const;
    },
    deadlineFromMs: undefined,
    healthySinceMonotonicMs: 0,
  });
  return { staged, keys, stand, restarted, seen };
}

describe('StagedSource', () => {
  it('does not go through those that decided for each that restarts after them', () => {
    const { staged, keys, stand, restarted, seen } = usersOf(2_000);
    const most = 202;
    for (const key of keys.slice(0, most)) stand(key, restarted(key));
    expect(staged.stage).toEqual({ is: 'open' });
    seen.states = 0;
    for (const key of keys.slice(most)) {
      stand(key, restarted(key));
      expect(staged.stage).toEqual({ is: 'open' });
    }
    expect(seen.states).toBeLessThan(10 * keys.length);
  });

  it('is judged again when those that decided owe a restart once more, or have no part in it any more', () => {
    const { staged, keys, stand, restarted } = usersOf(20);
    for (const key of keys.slice(0, 10)) stand(key, restarted(key));
    expect(staged.stage).toEqual({ is: 'open' });
    for (const key of keys.slice(2, 10)) stand(key, 'owes');
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 1 });
    stand(keys[0], undefined);
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 2 });
  });

  it('does not count one whose pods are gone before it has proved the content; one that has proved it still counts', () => {
    const { staged, keys, stand, restarted } = usersOf(20);
    const [first = '', second = ''] = keys;
    stand(first, { ...restarted(first), state: 'rolling', healthySinceMonotonicMs: undefined });
    expect(staged.stage).toMatchObject({ is: 'waits', waitsFor: { key: first } });
    stand(first, { ...restarted(first), mayProve: false });
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 1 });
    stand(second, restarted(second));
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 2 });
    stand(second, { ...restarted(second), mayProve: false });
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 2 });
  });

  it('stops for one that fails, however many have restarted for something else', () => {
    const { staged, keys, stand, restarted } = usersOf(20);
    for (const key of keys.slice(0, 10)) stand(key, { ...restarted(key), isForIt: false });
    expect(staged.stage).toMatchObject({ is: 'begins', mayBegin: 1 });
    const [first = ''] = keys;
    stand(first, { ...restarted(first), isForIt: false, state: 'failed' });
    expect(staged.stage).toMatchObject({ is: 'stopped', failed: { key: first } });
  });
});
