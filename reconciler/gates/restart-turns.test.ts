import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unlimited, type PaceSettings } from '../../shared/domain/gate-settings/pace-settings';
import { parseRestartRate } from '../../shared/domain/gate-settings/restart-rate';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { at, sourceRecord } from '../../shared/domain/plan/records.fixture';
import type { SourceRef } from '../../shared/domain/sources/source';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { noStages, paced, type PacedOptions } from './gates.fixture';
import { RestartOrder } from './restart-order';
import { RestartTurns } from './restart-turns';
import { ReturningJobs } from './returning-jobs';
import { RollingWorkloads } from './rolling-workloads';

const app = { kind: 'ConfigMap', name: 'app' } as const;

/** Its time can pass while it is read, as that of a machine does. */
class PassingClock extends FakeClock {
  passesWhileRead = false;

  override nowMs(): number {
    const nowMs = super.nowMs();
    if (this.passesWhileRead) this.jump(1);
    return nowMs;
  }
}

let clock: PassingClock;
let workloads: Map<WorkloadKey, TrackedWorkload>;
let source: GateSettings | undefined;
let namespace: GateSettings | undefined;
let urgentIn: string | undefined;
let woken: string[];
let turns: RestartTurns;

beforeEach(() => {
  clock = new PassingClock();
  workloads = new Map();
  [source, namespace, urgentIn, woken] = [undefined, undefined, undefined, []];
  make({ maxRolling: { count: 2, unit: 'workloads' } });
});

function make(pace: Partial<PaceSettings>, stages = noStages()): void {
  const sources = {
    get: ({ namespace }: SourceRef) => {
      const gates = namespace === urgentIn ? { isUrgent: true } : source;
      return { ...sourceRecord({ writtenAtMs: at(0) }), ...(gates && { gates }) };
    },
    limitingIn: () => (source ? [{ ...app, namespace: 'shop' }] : []),
  };
  const onTurn = (key: WorkloadKey): void => void woken.push(key.split('/')[2] ?? '');
  const index = {
    get: (key: WorkloadKey) => workloads.get(key),
    tracked: () => workloads.values(),
    usersOf: () => [],
    revisionOf: () => 0,
    revise: () => undefined,
  };
  const rolling = new RollingWorkloads({ clock, onFreed: () => turns.freed() });
  const logger = new RecordingLogger();
  turns = new RestartTurns({
    ...{ clock, pace: { ...unlimited, ...pace }, workloads: index, sources, rolling, onTurn },
    namespaces: { of: () => namespace },
    ...{ stages, returning: new ReturningJobs(index) },
    order: new RestartOrder({ clock, workloads: index, sources, rolling, owes: () => false, logger, onTurn }),
  });
  turns.begin();
}

/** A look at the workload: whether it may restart. The look is not over. */
function ask(name: string, options: PacedOptions = {}): string | undefined {
  const workload = paced({ name, ...options });
  workloads.set(workload.key, workload);
  return turns.ask(workload, [app])?.detail;
}

function ended(name: string, waits?: 'pace'): void {
  turns.ended(`Deployment/shop/${name}`, waits);
}

function restart(name: string): () => void {
  return turns.began(paced({ name }), { id: name, atMs: clock.nowMs() });
}

/** A whole look. */
function look(name: string, options: PacedOptions = {}): boolean {
  const closed = ask(name, options);
  if (closed === undefined) restart(name);
  ended(name, closed === undefined ? undefined : 'pace');
  return closed === undefined;
}

function rolledOut(name: string): void {
  turns.saw(paced({ name, lastRestart: { id: name, atMs: clock.nowMs() } }));
}

describe('RestartTurns', () => {
  it('counts looks that are not over: several at a time begin no more than may', () => {
    expect([ask('a'), ask('b'), ask('c')]).toEqual([undefined, undefined, '--max-rolling: 2 workloads']);
    ended('c', 'pace');
    expect(turns.rolling.workloads).toBe(2);
  });

  it('wakes only as many as may go, and these hold their places until their looks are over', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) look(name);
    rolledOut('a');
    await clock.advance(0);
    expect(woken).toEqual(['c']);
    expect(look('new')).toBe(false);
    rolledOut('b');
    await clock.advance(0);
    expect(woken).toEqual(['c', 'd']);
    expect(ask('c')).toBeUndefined();
  });

  it('gives the place of a woken one that restarts nothing to the next', async () => {
    for (const name of ['a', 'b', 'c', 'd']) look(name);
    rolledOut('a');
    await clock.advance(0);
    ended('c');
    await clock.advance(0);
    expect(woken).toEqual(['c', 'd']);
    turns.gone('Deployment/shop/d');
    expect(turns.rolling.workloads).toBe(1);
  });

  it('gives back the place of a write that was not stored', async () => {
    for (const name of ['a', 'b']) expect(ask(name)).toBeUndefined();
    const takeBack = restart('b');
    look('c');
    takeBack();
    ended('b');
    await clock.advance(0);
    expect(woken).toEqual(['c']);
  });

  it('gives it back also if the restart before has rolled out during that write', async () => {
    for (const name of ['a', 'b', 'c']) look(name);
    expect(ask('a')).toBeUndefined();
    const takeBack = turns.began(paced({ name: 'a', state: 'rolling' }), { id: 'again', atMs: clock.nowMs() + 1 });
    workloads.set('Deployment/shop/a', paced({ name: 'a', lastRestart: { id: 'a', atMs: clock.nowMs() } }));
    rolledOut('a');
    expect(turns.rolling.workloads).toBe(2);
    takeBack();
    ended('a');
    await clock.advance(0);
    expect([turns.rolling.workloads, woken]).toEqual([2, ['c']]);
  });

  it('has nobody overtake those that wait when something has just become free', () => {
    for (const name of ['a', 'b', 'c']) look(name);
    rolledOut('a');
    expect(look('new')).toBe(false);
    expect(woken).toEqual(['c']);
  });

  it('lets one restart whose turn its own look has found, and does not count its place against it', () => {
    make({ rate: parseRestartRate('1/m') });
    look('a');
    expect(look('b')).toBe(false);
    clock.jump(60_000);
    turns.freed();
    expect([ask('b'), turns.rolling.workloads]).toEqual([undefined, 2]);
  });

  it('lets one that rolls restart again without a second place', () => {
    look('a');
    look('b');
    expect(look('a')).toBe(true);
    expect(turns.rolling.workloads).toBe(2);
  });

  it('counts one that is about to restart again while it rolls, so another does not begin beside it', async () => {
    make({ rate: parseRestartRate('1/m') });
    look('a');
    await clock.advance(60_000);
    expect(ask('a')).toBeUndefined();
    expect(ask('b')).toBe('--restart-rate: 1/m');
  });

  it('wakes when a limit is raised', async () => {
    make({ perNamespace: { count: 1, unit: 'workloads' } });
    look('a');
    look('b');
    namespace = { maxRolling: { count: 2, unit: 'workloads' } };
    turns.freed();
    await clock.advance(0);
    expect(woken).toEqual(['b']);
  });

  it('wakes urgent ones first, and passes no limit for them', async () => {
    for (const name of ['a', 'b', 'c']) look(name);
    source = { isUrgent: true };
    expect(look('urgent')).toBe(false);
    rolledOut('a');
    await clock.advance(0);
    expect(woken).toEqual(['urgent']);
  });

  describe('with a limit in pods, of which there is not enough left for the one that is next', () => {
    const limit = '--max-rolling: 3 pods';

    beforeEach(() => {
      make({ maxRolling: { count: 3, unit: 'pods' } });
      look('a');
      expect(look('big', { pods: 3 })).toBe(false);
    });

    it('has others wait although there is enough for them, until that one has gone', async () => {
      expect([ask('next'), turns.told('Deployment/shop/next')?.detail]).toEqual([limit, limit]);
      ended('next', 'pace');
      rolledOut('a');
      await clock.advance(0);
      expect(woken).toEqual(['big']);
      ended('big');
      await clock.advance(0);
      expect(woken).toEqual(['big', 'next']);
    });

    it('lets urgent ones pass, and one that rolls restart again', () => {
      expect(look('a')).toBe(true);
      source = { isUrgent: true };
      expect(look('urgent')).toBe(true);
    });

    it.each<[string, () => void]>([
      ['is deleted', () => turns.gone('Deployment/shop/big')],
      ['owes nothing any more', () => ended('big')],
    ])('wakes the others when that one %s', async (_what, leave) => {
      expect(look('next')).toBe(false);
      leave();
      await clock.advance(0);
      expect(woken).toEqual(['next']);
    });

    it('keeps nobody waiting whom that limit does not concern', () => {
      make({ maxRolling: { count: 9, unit: 'workloads' }, perNamespace: { count: 3, unit: 'pods' } });
      look('a');
      expect([look('big', { pods: 3 }), look('next')]).toEqual([false, false]);
      expect(look('of-bank', { namespace: 'bank' })).toBe(true);
    });
  });

  it('tells what one waits for now', () => {
    make({ maxRolling: { count: 1, unit: 'workloads' }, rate: parseRestartRate('1/m') });
    look('a');
    look('b');
    expect(turns.told('Deployment/shop/b')?.detail).toBe('--max-rolling: 1 workload');
    rolledOut('a');
    expect(turns.told('Deployment/shop/b')?.detail).toBe('--restart-rate: 1/m');
    expect(turns.told('Deployment/shop/a')).toBeUndefined();
  });

  it('sets one timer for all that wait, however many and however long', async () => {
    for (let n = 0; n < 1_000; n++) look(`w-${n}`);
    const timers = clock.pendingTimers;
    expect(timers).toBeLessThanOrEqual(1);
    await clock.advance(300_000);
    expect([clock.pendingTimers, woken]).toEqual([timers, []]);
    await clock.advance(310_000);
    expect(woken).toHaveLength(2);
  });

  it('sets none while nobody waits, nor after the term', async () => {
    look('a');
    expect(clock.pendingTimers).toBe(0);
    look('b');
    look('c');
    turns.end();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(3_600_000);
    expect([woken, turns.rolling.workloads]).toEqual([[], 0]);
  });

  it('has the checks asked of those that a content is judged by, also if nobody waits', async () => {
    const stages = noStages();
    jest.spyOn(stages, 'isJudging').mockReturnValue(true);
    jest.spyOn(stages, 'isWaiting', 'get').mockReturnValue(true);
    const expire = jest.spyOn(stages, 'expire');
    make({}, stages);
    expect([turns.isJudging({ ...app, namespace: 'shop' }), expire.mock.calls.length]).toEqual([true, 0]);
    await clock.advance(60_000);
    expect(expire).toHaveBeenCalled();
    turns.end();
  });

  describe('with a rate', () => {
    beforeEach(() => make({ rate: parseRestartRate('2/10s') }));

    it('wakes as many as may begin, when they may', async () => {
      const went = ['a', 'b', 'c', 'd', 'e'].map((name) => look(name));
      expect(went).toEqual([true, true, false, false, false]);
      await clock.advance(9_999);
      expect(woken).toEqual([]);
      await clock.advance(1);
      expect(woken).toEqual(['c', 'd']);
      for (const name of ['c', 'd']) expect(look(name)).toBe(true);
      await clock.advance(10_000);
      expect(woken).toEqual(['c', 'd', 'e']);
    });

    it('wakes the next one, if its moment passes while the line is asked', async () => {
      for (const name of ['a', 'b']) look(name);
      await clock.advance(9_999);
      clock.passesWhileRead = true;
      expect(look('c')).toBe(false);
      clock.passesWhileRead = false;
      await clock.advance(1_000);
      expect(woken).toEqual(['c']);
    });

    it('keeps nobody waiting until a clock that was set back has caught up', async () => {
      for (const name of ['a', 'b']) look(name);
      expect(look('c')).toBe(false);
      clock.jump(-3_600_000);
      await clock.advance(60_000);
      expect(woken).toEqual(['c']);
      expect([look('c'), look('d'), look('e')]).toEqual([true, true, false]);
    });

    it('counts looks that are not over, and not those that restart nothing', async () => {
      expect([ask('a'), ask('b'), ask('c')]).toEqual([undefined, undefined, '--restart-rate: 2/10s']);
      ended('c', 'pace');
      ended('a');
      await clock.advance(0);
      expect(woken).toEqual(['c']);
    });

    it('counts what rolls out nothing, which takes no other place', () => {
      const job = paced({ kind: 'Job', name: 'job' });
      for (let n = 0; n < 2; n++) {
        expect(turns.ask(job, [app])).toBeUndefined();
        turns.began(job, { id: String(n), atMs: clock.nowMs() });
        turns.ended(job.key, undefined);
      }
      expect(turns.ask(job, [app])?.detail).toBe('--restart-rate: 2/10s');
      expect(turns.rolling.workloads).toBe(0);
    });

    it.each(['1/10s', '2/10s', '5/10s'])(
      'of %s, leaves others half when a namespace always owes urgent ones',
      async (rate) => {
        make({ rate: parseRestartRate(rate) });
        urgentIn = 'flood';
        const went = { flood: 0, shop: 0 };
        const lookIn = (namespace: 'flood' | 'shop', number: number): void => {
          const workload = paced({ namespace, name: `${namespace}-${number}` });
          workloads.set(workload.key, workload);
          const closed = turns.ask(workload, [app]);
          if (!closed)
            turns.began(workload, { id: `${namespace}-${number}-${went[namespace]++}`, atMs: clock.nowMs() });
          turns.ended(workload.key, closed?.gate);
        };
        for (let period = 0; period < 20; period++) {
          for (let number = 0; number < 10; number++)
            for (const namespace of ['flood', 'shop'] as const) lookIn(namespace, number);
          await clock.advance(10_000);
          for (const name of woken.splice(0))
            lookIn(name.startsWith('flood') ? 'flood' : 'shop', Number(name.split('-')[1]));
        }
        expect(Math.abs(went.flood - went.shop)).toBeLessThanOrEqual(2);
        expect(went.flood + went.shop).toBe(parseRestartRate(rate)!.count * 21);
      },
    );
  });
});
