import { describe, expect, it } from '@jest/globals';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { at, digester, workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import type { EngineWorld } from './engine.fixture';
import { leasePath } from './engine.fixture';
import {
  web,
  db,
  app,
  once,
  password,
  journalList,
  shop,
  paint,
  running,
  looks,
  lease,
  baselineOf,
  forged,
  isRestarted,
} from './shop.fixture';

describe('a change of a source', () => {
  it('is a look at its users, and at no others', async () => {
    const world = await running();
    const before = await looks(world);
    paint(world, 'blue');
    await world.clock.advance(5_000);
    const after = await looks(world);
    expect(after.web).toBeGreaterThan(before.web);
    expect(after.db).toBe(before.db);
    expect(isRestarted(world)).toBe(true);
    await world.stop();
  });

  it('waits until the sources of the workload have settled', async () => {
    const world = await running();
    paint(world, 'blue');
    await world.clock.advance(900);
    paint(world, 'green');
    await world.clock.advance(900);
    expect(isRestarted(world)).toBe(false);
    await world.clock.advance(200);
    expect(isRestarted(world)).toBe(true);
    await world.clock.advance(5_000);
    expect(world.messages.filter((message) => message === 'Deployment shop/web restarted')).toHaveLength(1);
    await world.stop();
  });

  it.each([true, false])('asks for a rollout of somebody else only where that counts: %s', async (foldRollouts) => {
    const world = await running({ foldRollouts });
    paint(world, 'blue');
    await world.clock.advance(5_000);
    expect(isRestarted(world)).toBe(true);
    expect(world.requests.some((text) => text.includes('/deployments?fieldSelector'))).toBe(foldRollouts);
    await world.stop();
  });

  it('is none before the first lists are complete', async () => {
    const world = shop();
    const answer = world.hold(/secrets\?limit=500/);
    await world.start();
    paint(world, 'blue');
    await world.clock.advance(5_000);
    expect(world.requests).toContain('GET /api/v1/configmaps?limit=500');
    expect(await world.metric('reloader_workqueue_adds_total')).toBe(0);
    expect(await world.metric('reloader_events_received_total')).toBe(0);
    await answer();
    expect(await looks(world)).toEqual({ web: expect.any(Number), db: expect.any(Number) });
    expect(isRestarted(world)).toBe(true);
    await world.stop();
  });

  it('counts as passed over in a namespace that is not selected', async () => {
    const world = shop({ namespaceSelector: parseSelector('team=web') });
    world.server.put('/api/v1/namespaces/shop', { metadata: { name: 'shop', labels: { team: 'web' } } });
    world.server.put('/api/v1/namespaces/bank', { metadata: { name: 'bank' } });
    const other = '/api/v1/namespaces/bank/configmaps/app';
    paint(world, 'red', undefined, other);
    await world.start();
    const counts = async (): Promise<readonly number[]> =>
      await Promise.all([
        world.metric('reloader_skipped_total', { reason: 'ignored_or_not_selected' }),
        world.metric('reloader_events_processed_total'),
        world.metric('reloader_workqueue_adds_total'),
      ]);
    const [skipped = 0, processed = 0, added = 0] = await counts();
    paint(world, 'blue', undefined, other);
    await world.clock.advance(2_000);
    expect(await counts()).toEqual([skipped + 1, processed, added]);
    paint(world, 'blue');
    await world.clock.advance(100);
    expect(await counts()).toEqual([skipped + 1, processed + 1, added + 1]);
    await world.stop();
  });

  it('of a kind that may not be listed is seen for sources that may be read by name', async () => {
    const world = shop();
    world.refuses = /\/api\/v1\/secrets\?/;
    const answer = world.hold(/secrets\/db/);
    await world.start();
    expect(world.engine.state).toBe('syncing');
    await world.clock.advance(15_000);
    expect(world.engine.state).toBe('acting');
    const unread = await looks(world);
    await answer();
    await world.clock.advance(20_000);
    expect((await looks(world)).db).toBeGreaterThan(unread.db);
    expect((await looks(world)).web).toBe(unread.web);
    expect(world.messages).toContain('StatefulSet shop/db: baseline recorded; nothing restarted');
    const before = await looks(world);
    world.server.put(password, { metadata: { namespace: 'shop', name: 'db' }, data: { password: 'Yg==' } });
    await world.clock.advance(35_000);
    expect(world.messages).toContain('StatefulSet shop/db restarted');
    expect((await looks(world)).web).toBe(before.web);
    await world.stop();
  });
});

describe('a workload', () => {
  const change = (world: EngineWorld, options: WorkloadOptions): void => {
    const baseline = baselineOf(world, web);
    world.server.put(web, workloadObject({ baseline, ...options }));
  };

  it('that changes is looked at after the settle window', async () => {
    const world = await running();
    const before = await looks(world);
    change(world, { uses: ['cm/other'] });
    await world.clock.advance(900);
    expect(await looks(world)).toEqual(before);
    await world.clock.advance(200);
    expect((await looks(world)).web).toBeGreaterThan(before.web);
    await world.stop();
  });

  it('that is deleted is no longer waited for', async () => {
    const world = await running();
    change(world, { uses: ['cm/other'] });
    await world.clock.advance(100);
    expect(await world.metric('reloader_workqueue_depth')).toBe(1);
    world.server.remove(web);
    await world.clock.advance(100);
    expect(await world.metric('reloader_workqueue_depth')).toBe(0);
    await world.stop();
  });

  it.each([
    ['restarted', { 'reloader.stakater.com/auto': 'true', 'reroll.dev/settle': 'soon' }],
    ['left alone', { 'reroll.dev/settle': 'soon' }],
  ])('whose annotations are invalid is reported though it is %s', async (_what, annotations) => {
    const world = shop();
    world.server.put(web, workloadObject({ annotations }));
    await world.start();
    expect(await world.metric('reroll_annotation_problems_total')).toBe(1);
    await world.stop();
  });
});

describe('a Job', () => {
  it('that somebody else recreates is no look at other workloads', async () => {
    const world = shop();
    world.server.put(once, workloadObject({ kind: 'Job', name: 'once' }));
    await world.start();
    const answer = world.hold(/POST .*jobs\?fieldManager=reroll$/);
    paint(world, 'blue');
    await world.clock.advance(3_000);
    world.server.put(once, workloadObject({ kind: 'Job', name: 'once', uid: 'another' }));
    const before = await looks(world);
    await answer();
    await world.clock.advance(1_000);
    expect(await looks(world)).toEqual(before);
    await world.stop();
  });
});

describe('after a restore of etcd', () => {
  it('everything is listed again, and what the backup has undone is answered again', async () => {
    const world = await running();
    const [backup, lease] = [world.server.objects.get(web), world.server.objects.get(leasePath)];
    paint(world, 'blue');
    await world.clock.advance(5_000);
    expect(isRestarted(world)).toBe(true);
    const before = world.requests.length;
    world.server.objects.set(web, { ...backup });
    world.server.put(leasePath, { ...lease }, 90);
    await world.clock.advance(4_000);
    expect(world.messages).toContain('the Lease is older than before, as after a restore of etcd');
    const lists = world.requests.slice(before).filter((text) => text.includes('limit=500'));
    expect(lists.map((text) => text.replace(/.*\/(.*)\?.*/, '$1')).toSorted()).toEqual([
      'configmaps',
      'configmaps',
      'cronjobs',
      'daemonsets',
      'deployments',
      'jobs',
      'namespaces',
      'secrets',
      'statefulsets',
    ]);
    expect(world.requests.slice(before)).toContain(journalList);
    expect(isRestarted(world)).toBe(true);
    await world.stop();
  });

  it('a standby lists again too, and leaves the Jobs to the leader', async () => {
    const world = shop();
    lease(world, 'reroll-1');
    await world.start();
    const before = world.requests.length;
    lease(world, 'reroll-1', at(0), 90);
    await world.clock.advance(5_000);
    expect(world.engine.state).toBe('standby');
    expect(world.requests.slice(before)).toContain('GET /apis/apps/v1/deployments?limit=500');
    expect(world.requests).not.toContain(journalList);
    await world.stop();
  });
});

describe('the key that all replicas share', () => {
  const key = Buffer.alloc(32, 7);

  it('is refused before the sources are listed', async () => {
    const world = shop({}, { keyIsShared: false });
    const answer = world.hold(/secrets\?limit=500/);
    await world.start();
    expect(world.engine.useSharedKey(key)).toBe(false);
    await answer();
    expect(world.engine.keyIsShared).toBe(false);
    expect(baselineOf(world, web)).toContain(digester.keyId);
    await world.stop();
  });

  it('is used once all sources are digested under it, and restarts nothing', async () => {
    const world = await running({}, { keyIsShared: false });
    const before = world.requests.length;
    const answer = world.hold(/secrets\?limit/);
    expect(world.engine.useSharedKey(key)).toBe(true);
    await world.clock.advance(5_000);
    expect(world.engine.state).toBe('syncing');
    expect(world.engine.keyIsShared).toBe(false);
    expect(world.requests.slice(before)).toContain('GET /api/v1/configmaps?limit=500');
    await answer();
    await world.clock.advance(5_000);
    expect(world.engine.keyIsShared).toBe(true);
    const shared = new ContentDigester(key);
    expect(baselineOf(world, db)).toContain(shared.keyId);
    expect(baselineOf(world, web)).toContain(shared.keyId);
    const red = shared.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, [['color', Buffer.from('red')]]);
    expect(baselineOf(world, web)).toContain(red.whole());
    expect(isRestarted(world)).toBe(false);
    await world.stop();
  });

  it('keeps a workload waiting for a lower wave that has yet to restart', async () => {
    const world = shop({}, { keyIsShared: false });
    const auto = { 'reloader.stakater.com/auto': 'true' };
    const first = web.replace('web', 'first');
    const held = workloadObject({ name: 'first', annotations: { ...auto, 'reroll.dev/hold': 'true' } });
    world.server.put(first, held);
    world.server.put(web, workloadObject({ annotations: { ...auto, 'reroll.dev/wave': '10' } }));
    await world.start();
    paint(world, 'blue');
    await world.clock.advance(5_000);
    const answer = world.hold(/secrets\?limit/);
    expect(world.engine.useSharedKey(key)).toBe(true);
    await world.clock.advance(1_000);
    // Until all sources are listed again, nobody knows what it owes.
    world.server.put(first, { ...world.server.objects.get(first), status: { replicas: 1 } });
    await world.clock.advance(1_000);
    await answer();
    await world.clock.advance(5_000);
    expect([world.engine.keyIsShared, isRestarted(world)]).toEqual([true, false]);
    await world.stop();
  });
});

describe('change records', () => {
  it('that are malformed are refused, and lead to no look and no request', async () => {
    const world = await running();
    const [requests, adds] = [world.requests.length, await world.metric('reloader_workqueue_adds_total')];
    const records = [null, 'app', [], {}, { v: 1, kind: 'ConfigMap', namespace: 'shop', name: '../app' }];
    expect(world.engine.accept(records)).toEqual({ accepted: 0, refused: 5, full: false });
    await world.clock.advance(1_000);
    expect(await world.metric('reloader_workqueue_adds_total')).toBe(adds);
    expect(world.requests.slice(requests).filter((text) => !text.includes('leases'))).toEqual([]);
    await world.stop();
  });

  it('that are forged make the engine read, and nothing else', async () => {
    const world = await running();
    const [requests, before] = [world.requests.length, world.writes];
    expect(world.engine.accept([forged(world)])).toEqual({ accepted: 1, refused: 0, full: false });
    await world.clock.advance(30_000);
    expect(world.requests.slice(requests)).toContain(`GET ${app}`);
    expect(world.writes).toEqual(before);
    await world.stop();
  });
});
