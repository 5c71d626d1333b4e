import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { paced, type PacedOptions } from './gates.fixture';
import { rollingForMs, RollingWorkloads } from './rolling-workloads';

let clock: FakeClock;
let freed: number;
let rolling: RollingWorkloads;

beforeEach(() => {
  clock = new FakeClock();
  freed = 0;
  rolling = new RollingWorkloads({ clock, onFreed: () => freed++ });
  rolling.begin([]);
});

function restart(options: PacedOptions = {}, id = 'aaaaaaaa'): () => void {
  return rolling.began(paced(options), { id, atMs: clock.nowMs() });
}

/** The index shows the workload after that restart. */
function see(options: PacedOptions, id = 'aaaaaaaa', atMs = clock.nowMs()): void {
  rolling.saw(paced({ lastRestart: { id, atMs }, ...options }));
}

describe('RollingWorkloads', () => {
  it('counts a restart from before its write until the watch shows that it is rolled out', () => {
    restart({ pods: 3, nodePool: 'a' });
    const one = { workloads: 1, pods: 3 };
    expect([rolling.inCluster, rolling.inNamespace('shop'), rolling.inNodePool('a')]).toEqual([one, one, one]);
    expect([rolling.inNamespace('bank'), rolling.inNodePool('b')]).toMatchObject([{ workloads: 0 }, { workloads: 0 }]);
    see({ pods: 3, state: 'rolling', pendingPods: 2 });
    expect([rolling.inCluster, freed]).toEqual([{ workloads: 1, pods: 2 }, 1]);
    see({ pods: 3 });
    expect([rolling.inCluster, rolling.inNamespace('shop'), freed]).toEqual([{ workloads: 0, pods: 0 }, { workloads: 0, pods: 0 }, 2]); // prettier-ignore
  });

  it('keeps it while the index shows an older state, or one without the note', () => {
    restart();
    rolling.saw(paced({}));
    see({}, 'bbbbbbbb', clock.nowMs() - 1_000);
    expect([rolling.inCluster.workloads, rolling.isRolling('Deployment/shop/web')]).toEqual([1, true]);
  });

  it.each(['failed', 'held', 'unknown'] as const)('frees one that is %s', (state) => {
    restart();
    see({ state });
    expect([rolling.inCluster.workloads, freed]).toEqual([0, 1]);
  });

  it('frees one that is gone, or is another one of that name', () => {
    restart();
    rolling.gone('Deployment/shop/web');
    restart();
    see({ uid: 'another', state: 'rolling' });
    expect([rolling.inCluster.workloads, freed]).toEqual([0, 2]);
  });

  it('frees one that takes ten minutes, and says when', async () => {
    const startMs = clock.nowMs();
    restart({ name: 'a' });
    await clock.advance(60_000);
    restart({ name: 'b' });
    expect(rolling.expire()).toBe(startMs + rollingForMs);
    await clock.advance(rollingForMs - 60_000);
    expect([rolling.expire(), rolling.inCluster.workloads]).toEqual([startMs + 60_000 + rollingForMs, 1]);
    await clock.advance(60_000);
    expect([rolling.expire(), rolling.inCluster.workloads]).toEqual([Infinity, 0]);
  });

  describe('of one that Reroll holds paused', () => {
    const held: PacedOptions = { state: 'held', pods: 3, pause: { paused: true, periodMs: 3_600_000, since: 0 } };
    const startMs = new FakeClock().nowMs();
    const seeHeld = (options: PacedOptions = {}) => see({ ...held, ...options }, 'aaaaaaaa', startMs);
    const seeRolling = () => see({ state: 'rolling', pods: 3, pendingPods: 2 }, 'aaaaaaaa', startMs);

    it('the restart counts until the pause ends, and then until it is rolled out, for ten minutes more', async () => {
      restart({ pods: 3 });
      await clock.advance(rollingForMs - 1_000);
      seeHeld();
      expect([rolling.inCluster, rolling.isRolling('Deployment/shop/web')]).toEqual([{ workloads: 1, pods: 3 }, false]);
      seeRolling();
      expect([rolling.inCluster, rolling.isRolling('Deployment/shop/web')]).toEqual([{ workloads: 1, pods: 2 }, true]);
      expect(rolling.expire()).toBe(clock.nowMs() + rollingForMs);
      see({ pods: 3 }, 'aaaaaaaa', startMs);
      expect([rolling.inCluster, freed]).toEqual([{ workloads: 0, pods: 0 }, 1]);
    });

    it('the restart counts no more after ten minutes of a pause, and again when that ends', async () => {
      restart({ pods: 3 });
      seeHeld();
      restart({ name: 'later' });
      await clock.advance(rollingForMs);
      expect([rolling.expire(), rolling.inCluster, freed]).toEqual([Infinity, { workloads: 0, pods: 0 }, 2]);
      seeHeld();
      expect([rolling.among('shop', () => true), rolling.of('Deployment/shop/web').workloads]).toEqual([{ workloads: 0, pods: 0 }, 0]); // prettier-ignore
      seeRolling();
      expect(rolling.inCluster).toEqual({ workloads: 1, pods: 2 });
      await clock.advance(rollingForMs);
      expect([rolling.expire(), rolling.inCluster.workloads]).toEqual([Infinity, 0]);
    });

    it.each<[string, () => void]>([
      ['restarts nothing', () => rolling.giveBack('Deployment/shop/web')],
      ['has its write not stored', () => restart({ pods: 3 }, 'bbbbbbbb')()],
    ])(
      'the restart counts when a pause of more than ten minutes ends, also after a look that %s',
      async (_what, look) => {
        restart({ pods: 3 });
        seeHeld();
        await clock.advance(rollingForMs);
        rolling.expire();
        rolling.take(paced(held));
        expect([rolling.inCluster.workloads, freed]).toEqual([1, 1]);
        look();
        expect([rolling.inCluster.workloads, freed]).toEqual([0, 2]);
        seeRolling();
        expect(rolling.inCluster).toEqual({ workloads: 1, pods: 2 });
      },
    );

    it('the restart counts when the pause ends, also if such a look was under way after ten minutes of it', async () => {
      restart({ pods: 3 });
      seeHeld();
      rolling.take(paced(held));
      await clock.advance(rollingForMs);
      rolling.expire();
      rolling.giveBack('Deployment/shop/web');
      expect(rolling.inCluster.workloads).toBe(0);
      seeRolling();
      expect(rolling.inCluster.workloads).toBe(1);
    });

    it('the restart counts for no longer if somebody pauses and resumes it again', async () => {
      restart({ pods: 3 });
      seeHeld();
      seeRolling();
      await clock.advance(60_000);
      seeHeld();
      seeRolling();
      expect(rolling.expire()).toBe(startMs + rollingForMs);
      seeHeld();
      await clock.advance(rollingForMs - 60_000);
      expect([rolling.expire(), rolling.inCluster.workloads]).toEqual([Infinity, 0]);
      seeRolling();
      expect(rolling.inCluster.workloads).toBe(0);
    });

    it('the next restart counts from its place on, however long the pause', async () => {
      restart({ pods: 3 });
      seeHeld();
      await clock.advance(rollingForMs);
      rolling.expire();
      rolling.take(paced(held));
      expect(rolling.inCluster).toEqual({ workloads: 1, pods: 3 });
      restart(held, 'bbbbbbbb');
      expect(rolling.inCluster).toEqual({ workloads: 1, pods: 3 });
    });

    it.each<[string, PacedOptions]>([
      ['is not ours any more', { pause: { paused: true, periodMs: 3_600_000, since: undefined } }],
      ['is of another one of that name', { uid: 'another' }],
      ['is of one that needs no rollout', { state: 'healthy' }],
    ])('nothing counts when the pause %s', async (_what, options) => {
      await clock.advance(60_000);
      for (const afterMs of [0, rollingForMs]) {
        restart({ pods: 3 }, `${afterMs}`);
        see(held, `${afterMs}`);
        await clock.advance(afterMs);
        rolling.expire();
        see({ ...held, ...options }, `${afterMs}`);
        expect(rolling.inCluster.workloads).toBe(0);
        see({ state: 'rolling' }, `${afterMs}`);
        expect(rolling.inCluster.workloads).toBe(0);
      }
    });

    it('the restart by the leader before counts, too, or counts when the pause ends', async () => {
      const before = (name: string, ageMs: number) =>
        paced({ ...held, name, lastRestart: { id: 'aaaaaaaa', atMs: clock.nowMs() - ageMs } });
      const { lastRestart } = before('long', rollingForMs).record;
      rolling.begin([before('short', 1_000), before('long', rollingForMs)]);
      rolling.expire();
      expect(rolling.inCluster).toEqual({ workloads: 1, pods: 3 });
      rolling.saw(paced({ name: 'long', state: 'rolling', ...(lastRestart && { lastRestart }) }));
      expect(rolling.inCluster.workloads).toBe(2);
      await clock.advance(rollingForMs);
      rolling.saw(before('told later', 2 * rollingForMs));
      rolling.expire();
      rolling.saw(paced({ name: 'told later', state: 'rolling', ...(lastRestart && { lastRestart }) }));
      expect(rolling.inCluster.workloads).toBe(0);
    });
  });

  it('counts a place until it is given back, and not twice', () => {
    rolling.take(paced({}));
    rolling.take(paced({}));
    expect([rolling.inCluster.workloads, rolling.places, rolling.isRolling('Deployment/shop/web')]).toEqual([
      1,
      1,
      false,
    ]);
    rolling.giveBack('Deployment/shop/web');
    expect([rolling.inCluster.workloads, rolling.places, freed]).toEqual([0, 0, 1]);
  });

  it('turns a place into a rollout, which is not given back', () => {
    rolling.take(paced({}));
    restart();
    rolling.giveBack('Deployment/shop/web');
    expect([rolling.inCluster.workloads, rolling.places]).toEqual([1, 0]);
  });

  it('counts one that is about to restart again also when it is rolled out meanwhile', () => {
    restart();
    rolling.take(paced({}));
    expect([rolling.inCluster.workloads, rolling.places]).toEqual([1, 1]);
    see({});
    expect([rolling.inCluster.workloads, rolling.places, freed]).toEqual([1, 1, 0]);
    rolling.giveBack('Deployment/shop/web');
    expect([rolling.inCluster.workloads, rolling.places, freed]).toEqual([0, 0, 1]);
  });

  it('takes back one that was not stored, and knows the one before again', () => {
    restart({ pods: 2 });
    const takeBack = restart({ pods: 5 }, 'bbbbbbbb');
    expect(rolling.inCluster).toEqual({ workloads: 1, pods: 5 });
    takeBack();
    expect(rolling.inCluster).toEqual({ workloads: 1, pods: 2 });
    restart({ name: 'other' })();
    expect(rolling.inCluster.workloads).toBe(1);
  });

  it.each<PacedOptions>([{ kind: 'Job' }, { kind: 'CronJob' }, { kind: 'StatefulSet', state: 'unknown' }])(
    'counts no place for %j',
    (options) => {
      rolling.take(paced(options));
      expect([rolling.inCluster.workloads, rolling.places]).toEqual([0, 1]);
      restart(options);
      expect([rolling.inCluster.workloads, rolling.places]).toEqual([0, 0]);
    },
  );

  it('counts those of a namespace that somebody asks for', () => {
    restart({ name: 'a', pods: 2 });
    restart({ name: 'b' });
    restart({ name: 'c', namespace: 'bank' });
    expect(rolling.among('shop', (key) => key.endsWith('/a') || key.endsWith('/c'))).toEqual({ workloads: 1, pods: 2 });
  });

  describe('at the beginning of a term', () => {
    const before = (name: string, ageMs: number, options: PacedOptions = {}) =>
      paced({ name, state: 'rolling', lastRestart: { id: 'aaaaaaaa', atMs: clock.nowMs() - ageMs }, ...options });

    it('counts what the leader before restarted, as the workloads tell it', () => {
      rolling.begin([
        before('a', 1_000, { pods: 9, pendingPods: 4 }),
        before('old', rollingForMs),
        before('healthy', 1_000, { state: 'healthy' }),
        paced({ name: 'others', state: 'rolling' }),
      ]);
      expect(rolling.inCluster).toEqual({ workloads: 1, pods: 4 });
    });

    it('counts one that a watch shows late', () => {
      rolling.saw(before('a', 1_000));
      expect(rolling.inCluster.workloads).toBe(1);
    });

    it('forgets what was', () => {
      restart();
      rolling.take(paced({ name: 'a' }));
      rolling.begin([]);
      expect([rolling.inCluster, rolling.places]).toEqual([{ workloads: 0, pods: 0 }, 0]);
    });
  });

  it('believes no workload that tells of a restart in this term', async () => {
    await clock.advance(60_000);
    see({ state: 'rolling' });
    expect(rolling.inCluster.workloads).toBe(0);
  });

  it('counts no rollout of a workload that Reroll has never restarted', () => {
    rolling.saw(paced({ state: 'rolling' }));
    expect(rolling.inCluster.workloads).toBe(0);
  });

  it('counts nothing in a standby', () => {
    rolling.end();
    see({ state: 'rolling' });
    expect(rolling.inCluster.workloads).toBe(0);
  });

  it('always counts what is there', () => {
    const names = ['a', 'b', 'c', 'd'];
    let seed = 7;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const expected = new Map<string, number>();
    for (let step = 0; step < 2_000; step++) {
      const name = names[next(4)] ?? 'a';
      const options = { name, pods: 1 + next(5) };
      const key = `Deployment/shop/${name}`;
      switch (next(4)) {
        case 0:
          restart(options);
          expected.set(name, options.pods);
          break;
        case 1:
          rolling.gone(key);
          expected.delete(name);
          break;
        case 2:
          rolling.take(paced(options));
          if (!expected.has(name)) expected.set(name, options.pods);
          break;
        default:
          rolling.giveBack(key);
          if (!rolling.isRolling(key)) expected.delete(name);
      }
      const pods = [...expected.values()].reduce((sum, each) => sum + each, 0);
      expect(rolling.inNamespace('shop')).toEqual({ workloads: expected.size, pods });
      expect(rolling.inCluster).toEqual({ workloads: expected.size, pods });
    }
  });
});
