import { describe, expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { at, digester, workloadObject, type WorkloadOptions } from '../../shared/domain/plan/records.fixture';
import { EngineWorld, leasePath } from './engine.fixture';

const web = '/apis/apps/v1/namespaces/shop/deployments/web';
const db = '/apis/apps/v1/namespaces/shop/statefulsets/db';
const app = '/api/v1/namespaces/shop/configmaps/app';
const once = '/apis/batch/v1/namespaces/shop/jobs/once';
const password = '/api/v1/namespaces/shop/secrets/db';

/** A new leader looks for Jobs to recreate. */
const journalList = 'GET /api/v1/namespaces/reroll/secrets?labelSelector=reroll.dev%2Fjournal%3Djob';
/** Their journal has no key yet. */
const journalKey = 'POST secrets';
const firstBaselines = ['PATCH deployments/web', 'PATCH statefulsets/db'];

/** More names than one list may have. */
const names = Array.from({ length: budgets.listNames + 1 }, (_, index) => `n${index}`).join(',');
const overBudget = { 'configmap.reloader.stakater.com/reload': names };

/** Deployment `web` uses ConfigMap `app`, which is red. StatefulSet `db` uses Secret `db`. */
function shop(...options: ConstructorParameters<typeof EngineWorld>): EngineWorld {
  const world = new EngineWorld(...options);
  world.server.put(web, workloadObject());
  world.server.put(db, workloadObject({ kind: 'StatefulSet', name: 'db', uses: ['secret/db'] }));
  world.server.put(password, { metadata: { namespace: 'shop', name: 'db' }, data: { password: 'YQ==' } });
  paint(world, 'red');
  return world;
}

function paint(world: EngineWorld, color: string, writtenAtMs?: number, path = app): void {
  const [namespace, , name] = path.split('/').slice(4);
  const time = writtenAtMs === undefined ? undefined : new Date(writtenAtMs).toISOString();
  const managedFields = time === undefined ? [] : [{ manager: 'kubectl', time }];
  world.server.put(path, { metadata: { namespace, name, managedFields }, data: { color } });
}

async function running(...options: Parameters<typeof shop>): Promise<EngineWorld> {
  const world = shop(...options);
  await world.start();
  return world;
}

/** How often each of the two was compared with its baseline. */
async function looks(world: EngineWorld): Promise<{ readonly web: number; readonly db: number }> {
  const [web = 0, db = 0] = await Promise.all(
    ['Deployment', 'StatefulSet'].map(async (kind) => await world.metric('reloader_workloads_scanned_total', { kind })),
  );
  return { web, db };
}

async function leads(world: EngineWorld): Promise<boolean> {
  return (await world.metric('reroll_leader')) === 1;
}

/** Writes the Lease as another replica would. */
function lease(world: EngineWorld, holderIdentity: string, renewTimeMs = at(-30), version?: number): void {
  const renewTime = new Date(renewTimeMs).toISOString();
  const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime, leaseTransitions: 0 };
  world.server.put(leasePath, { metadata: { namespace: 'reroll', name: 'reroll' }, spec }, version);
}

function holder(world: EngineWorld): unknown {
  return fieldAt(world.server.objects.get(leasePath), ['spec', 'holderIdentity']);
}

function baselineOf(world: EngineWorld, path: string): string | undefined {
  return textOf(fieldAt(world.server.objects.get(path), ['metadata', 'annotations', 'reroll.dev/baseline']));
}

/** What anybody may send who has got hold of the channel. */
function forged(world: EngineWorld): object {
  return {
    ...{ v: 1, id: 'review', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: `uid of ${app}`, user: 'mallory' },
    ...{ digest: 'A'.repeat(22), keyId: digester.keyId, observedAtMs: world.clock.nowMs() },
    changed: { added: [], changed: ['color'], removed: [] },
  };
}

/** The engine marks the pod template for a restart. */
function isRestarted(world: EngineWorld): boolean {
  return fieldAt(world.server.objects.get(web), ['spec', 'template', 'metadata', 'annotations']) !== undefined;
}

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
  /** The source changed after the Deployment was created, and nobody watched. */
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
    expect(world.engine.state).toBe('standby');
    const before = await looks(world);
    await world.clock.advance(20_000);
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
    expect(world.engine.state).toBe('acting');
    const unread = await looks(world);
    await answer();
    await world.clock.advance(1_000);
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
  it('that somebody else recreates is a look at everything: the change may still be owed', async () => {
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
    expect((await looks(world)).db).toBeGreaterThan(before.db);
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
      'cronjobs',
      'daemonsets',
      'deployments',
      'jobs',
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
