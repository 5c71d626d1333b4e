import { describe, expect, it } from '@jest/globals';
import { at, workloadObject } from '../../shared/domain/plan/records.fixture';
import type { EngineWorld } from './engine.fixture';
import {
  web,
  db,
  once,
  journalKey,
  firstBaselines,
  overBudget,
  shop,
  paint,
  running,
  looks,
  leads,
  lease,
  holder,
  baselineOf,
  forged,
  isRestarted,
} from './shop.fixture';

describe('the state of an engine', () => {
  it('is syncing until every list of sources is complete, and nothing is compared before', async () => {
    const world = shop();
    const answer = world.hold(/secrets\?limit=500/);
    expect(world.engine.state).toBe('syncing');
    await world.start();
    expect(await leads(world)).toBe(true);
    expect(world.engine.state).toBe('syncing');
    expect(world.listed).toBe(0);
    expect(await looks(world)).toEqual({ web: 0, db: 0 });
    await answer();
    expect(world.engine.state).toBe('acting');
    expect(world.listed).toBe(1);
    expect(world.writes.toSorted()).toEqual([...firstBaselines, journalKey]);
    await world.stop();
  });

  it('does not wait for workloads: each is compared when it is seen', async () => {
    const world = shop();
    const answer = world.hold(/deployments\?limit/);
    await world.start();
    expect(world.engine.state).toBe('acting');
    expect(world.writes).not.toContain('PATCH deployments/web');
    await answer();
    await world.clock.advance(1_000);
    expect(world.writes).toContain('PATCH deployments/web');
    await world.stop();
  });

  it('is syncing for a minute at most, though a kind of sources cannot be listed', async () => {
    const world = shop({ dryRun: true });
    world.hold(/secrets\?limit=500/);
    await world.start();
    await world.clock.advance(54_000);
    expect(world.engine.state).toBe('syncing');
    await world.clock.advance(2_000);
    expect(world.engine.state).toBe('acting');
    await world.stop();
  });

  it('is standby while another holds the Lease, and acting after a new list of the sources', async () => {
    const world = shop();
    lease(world, 'reroll-1');
    await world.start();
    expect(world.engine.state).toBe('standby');
    expect(world.writes).toEqual([]);
    const answer = world.hold(/(configmaps|secrets)\?limit/);
    await world.clock.advance(20_000);
    expect(await leads(world)).toBe(true);
    expect(world.engine.state).toBe('syncing');
    expect(world.writes).toEqual([journalKey]);
    await answer();
    expect(world.engine.state).toBe('acting');
    expect(world.writes).toContain('PATCH deployments/web');
    await world.stop();
  });
});

describe('a dry run', () => {
  it('writes no Event either', async () => {
    const world = shop({ dryRun: true });
    world.server.put(web, workloadObject({ annotations: overBudget }));
    await world.start();
    expect(await world.metric('reroll_annotation_problems_total')).toBe(1);
    expect(world.writes).toEqual([]);
    await world.stop();
  });

  it('acts without a Lease, says what it would do, and writes nothing', async () => {
    const world = await running({ dryRun: true });
    expect(world.engine.state).toBe('acting');
    paint(world, 'blue');
    await world.clock.advance(60_000);
    expect(world.messages).toContain('dry run: Deployment shop/web would be restarted');
    expect(world.writes).toEqual([]);
    expect(world.requests.filter((text) => text.includes('leases'))).toEqual([]);
    expect(await leads(world)).toBe(false);
    await world.stop();
  });

  it('does not count what another install has recorded', async () => {
    const world = await running();
    await world.stop();
    const other = shop({ dryRun: true });
    for (const [path, object] of world.server.objects) other.server.put(path, object);
    paint(other, 'blue');
    await other.start();
    expect(other.messages).toContain('Deployment shop/web: baseline kept in memory; nothing restarted');
    await other.stop();
  });
});

describe('a term', () => {
  /** Whether a Deployment is restarted if its source changed after it was created, while nobody watched. */
  async function isAnswered(world: EngineWorld, bornMs: number, changedMs: number): Promise<boolean> {
    world.server.put(web, workloadObject({ createdAtMs: bornMs }));
    paint(world, 'red', changedMs);
    await world.start();
    return isRestarted(world);
  }

  it.each([
    ['on a first install, made within the difference of clocks', undefined, -9, true],
    ['on a first install, made before', undefined, -11, false],
    ['after a former leader, made since the last minute of its work', -30, -89, true],
    ['after a former leader, made before', -30, -91, false],
  ])('takes a workload for new or old %s', async (_when, renewedSeconds, bornSeconds, isNew) => {
    const world = shop();
    if (renewedSeconds !== undefined) lease(world, '', at(renewedSeconds));
    expect(await isAnswered(world, at(bornSeconds), at(-5))).toBe(isNew);
    await world.stop();
  });

  it('begins with a look at everything, though no list of sources is allowed', async () => {
    const world = shop();
    world.refuses = /\/(configmaps|secrets)[/?]/;
    lease(world, 'reroll-1');
    await world.start();
    expect(world.engine.state).toBe('syncing');
    const before = await looks(world);
    await world.clock.advance(60_000);
    expect(world.engine.state).toBe('acting');
    expect((await looks(world)).db).toBeGreaterThan(before.db);
    await world.stop();
  });

  it('counts from the first term of the process', async () => {
    const world = shop();
    const answer = world.hold(/(configmaps|secrets)\?limit/);
    expect(await isAnswered(world, at(-9), at(-5))).toBe(false);
    lease(world, 'reroll-1');
    await world.clock.advance(4_000);
    lease(world, '', at(100));
    await world.clock.advance(4_000);
    await answer();
    expect(world.engine.state).toBe('acting');
    expect(isRestarted(world)).toBe(true);
    await world.stop();
  });

  it('ends when another takes the Lease: nothing is written from then on', async () => {
    const world = await running();
    expect(await leads(world)).toBe(true);
    lease(world, 'reroll-1');
    await world.clock.advance(4_000);
    expect(world.engine.state).toBe('standby');
    expect(await leads(world)).toBe(false);
    const before = world.writes;
    paint(world, 'blue');
    await world.clock.advance(8_000);
    expect(world.messages).toContain('ConfigMap shop/app changed');
    expect(world.writes).toEqual(before);
    await world.stop();
  });

  it.each(['lost', 'stopped'] as const)('that is %s after a restart was decided withdraws it', async (how) => {
    const world = await running({ foldRollouts: true });
    const answer = world.hold(/deployments\?fieldSelector/);
    paint(world, 'blue');
    await world.clock.advance(2_000);
    expect(world.requests.at(-1)).toMatch(/deployments\?fieldSelector|leases/);
    const stopping = how === 'stopped' ? world.engine.stop() : undefined;
    if (how === 'lost') lease(world, 'reroll-1');
    await world.clock.advance(2_500);
    const before = world.writes.filter((text) => text.startsWith('PATCH'));
    await answer();
    await world.clock.advance(5_000);
    expect(world.writes.filter((text) => text.startsWith('PATCH'))).toEqual(before);
    await (stopping ?? world.stop());
  });
});

describe('what every replica sees', () => {
  it('is an Event of the leader alone', async () => {
    const world = shop();
    lease(world, 'reroll-1');
    world.server.put(web, workloadObject({ annotations: overBudget }));
    await world.start();
    expect(await world.metric('reroll_annotation_problems_total')).toBe(1);
    expect(world.writes).not.toContain('POST events');
    await world.clock.advance(20_000);
    expect(world.engine.state).toBe('acting');
    expect(world.writes.filter((text) => text === 'POST events')).toHaveLength(1);
    lease(world, 'reroll-1', world.clock.nowMs());
    await world.clock.advance(4_000);
    expect(world.engine.state).toBe('standby');
    world.server.put(db, workloadObject({ kind: 'StatefulSet', name: 'db', annotations: overBudget }));
    await world.clock.advance(4_000);
    expect(await world.metric('reroll_annotation_problems_total')).toBe(2);
    expect(world.writes.filter((text) => text === 'POST events')).toHaveLength(1);
    await world.stop();
  });
});

describe('stop', () => {
  it('gives the Lease back last, after the write under way has ended', async () => {
    const world = shop();
    const answer = world.hold(/PATCH .*deployments/);
    await world.start();
    expect(world.writes).toContain('PATCH deployments/web');
    const stopping = world.engine.stop();
    await world.clock.advance(3_000);
    expect(holder(world)).toBe('reroll-0');
    expect(await leads(world)).toBe(true);
    await answer();
    await stopping;
    expect(baselineOf(world, web)).toBeDefined();
    expect(world.requests.at(-1)).toMatch(/^PUT .*leases/);
    expect(holder(world)).toBe('');
    expect(await leads(world)).toBe(false);
  });

  it('waits for a Job that is deleted and not created yet', async () => {
    const world = shop();
    world.server.put(once, workloadObject({ kind: 'Job', name: 'once' }));
    await world.start();
    const answer = world.hold(/POST .*jobs\?fieldManager=reroll$/);
    paint(world, 'blue');
    await world.clock.advance(3_000);
    expect(world.server.objects.has(once)).toBe(false);
    const stopping = world.engine.stop();
    await world.clock.advance(3_000);
    expect(holder(world)).toBe('reroll-0');
    await answer();
    await stopping;
    expect(world.server.objects.has(once)).toBe(true);
    expect(holder(world)).toBe('');
  });

  it('ends when the Events of the last restarts are written; the Lease does not wait for them', async () => {
    const world = await running();
    const answer = world.hold(/^POST .*events\?/);
    paint(world, 'blue');
    await world.clock.advance(2_000);
    let hasStopped = false;
    const stopping = world.engine.stop().then(() => (hasStopped = true));
    await world.clock.settle();
    expect(holder(world)).toBe('');
    expect(hasStopped).toBe(false);
    await answer();
    await stopping;
    expect([...world.server.objects.keys()].filter((path) => path.includes('/events/'))).toHaveLength(1);
  });

  it.each([
    ['syncing', /secrets\?limit=500/],
    ['acting', undefined],
  ])('leaves no watch and no timer behind while %s', async (state, held) => {
    const world = shop();
    if (held) world.hold(held);
    await world.start();
    expect(world.engine.state).toBe(state);
    expect(world.openWatches).toBeGreaterThan(0);
    expect(world.engine.accept([forged(world)]).accepted).toBe(1);
    await world.stop();
    expect(world.openWatches).toBe(0);
    expect(world.clock.pendingTimers).toBe(0);
  });
});
