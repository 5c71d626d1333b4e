import { describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import {
  configMap,
  cronJob,
  deployment,
  envFromKey,
  fromConfigMap,
  fromSecret,
  job,
  namespace,
  secret,
} from '../apiserver/cluster';
import type { WorkloadStatus } from '../../shared/domain/protocol/workload-status';
import type { FaultTarget } from '../apiserver/faults';
import { Controllers } from '../apiserver/controllers/controllers';
import { engineUser, Harness, usualLease } from './harness';
import { asked, inspected } from './inspection.fixture';
import { app, auto, ownRights, readAll, running, settled, situations, uses, web } from './situations.fixture';

describe('a question about a workload', () => {
  it.each(Object.entries(situations))('says that %s', async (_what, situation) => {
    const [, engine] = await running(situation);
    expect(inspected.workload(engine, situation.path ?? 'Deployment/default/web')).toMatchObject(situation.answer);
  });

  it('agrees with its row in the pages', async () => {
    const [, engine] = await running(situations['Reroll holds it paused']!);
    const { state, since, waitsFor, until } = inspected.workload(engine, 'Deployment/default/web') as never;
    const row = { kind: 'Deployment', namespace: 'default', name: 'web', state, since, waitsFor, until };
    expect(inspected.page(engine).workloads).toEqual([{ ...row, lastRestartAt: expect.any(String) }]);
  });

  it.each([
    ['Deployment', web],
    ['Job', job({ name: 'web', ...uses })],
    ['CronJob', cronJob({ name: 'web', ...uses })],
  ])('is never that a %s is in step while it owes a restart', async (kind, object) => {
    const harness = new Harness();
    harness.leaseTimings = usualLease;
    harness.seed(app, object);
    new Controllers(harness.server).start();
    const engine = await harness.start();
    await harness.clock.advance(settled);
    const told = new Set<string>();
    const look = async (): Promise<void> => {
      for (let tenth = 0; tenth < 600; tenth++) {
        const { status, text } = asked(engine, `/v1/workloads/${kind}/default/web`);
        const { tracked, state, restart, because } = JSON.parse(text) as Record<string, unknown>;
        if (status === 200) told.add(tracked === true ? `${String(state)}, ${String(restart)}` : String(because));
        await harness.clock.advance(100);
      }
    };
    const isWrite = ({ method, pathname }: FaultTarget) =>
      ['PATCH', 'POST', 'DELETE'].includes(method) && /\/(deployments|jobs|cronjobs)/.test(pathname);
    harness.faults.add({ match: isWrite, fault: { kind: 'status', code: 503 }, times: 3 });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await look();
    // The term ends before the restart, and the next one makes it.
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    const match = ({ pathname }: FaultTarget) => pathname.includes('/leases/');
    harness.faults.add({ match, fault: { kind: 'status', code: 503 }, times: 20 });
    harness.faults.add({ match: isWrite, fault: { kind: 'status', code: 503 }, times: 5 });
    await look();
    expect([...told]).not.toContain('in-step, owed');
    expect([...told]).toEqual(expect.arrayContaining(['pending, owed', 'waiting, owed', 'in-step, not-owed']));
  });

  it('reads nothing from the API server', async () => {
    const [harness, engine] = await running(situations['its settle window is open']!);
    harness.requestsSinceLast();
    for (const path of ['Deployment/default/web', 'Deployment/default/none']) inspected.workload(engine, path);
    inspected.source(engine, 'ConfigMap/default/app');
    inspected.page(engine);
    await harness.clock.advance(0);
    expect(harness.requestsSinceLast()).toEqual([]);
  });
});

describe('a new term', () => {
  it('does not tell since when an earlier one had waited', async () => {
    const harness = new Harness();
    harness.leaseTimings = usualLease;
    harness.seed(app, web);
    harness.server.rbac.restrict(engineUser, [readAll, ownRights]);
    const engine = await harness.start();
    await harness.clock.advance(settled);
    expect(inspected.workload(engine, 'Deployment/default/web')).toMatchObject({ waitsFor: 'baseline-write' });
    const match = ({ pathname }: { readonly pathname: string }) => pathname.includes('/leases/');
    const heal = harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
    await harness.clock.advance(20_000);
    expect(inspected.problem(engine, '/v1/workloads').code).toBe('not-leading');
    const endedMs = harness.clock.nowMs();
    heal();
    await harness.clock.advance(settled);
    const { since, waitsFor } = inspected.workload(engine, 'Deployment/default/web') as WorkloadStatus;
    expect(waitsFor).toBe('baseline-write');
    expect(Date.parse(since ?? '')).toBeGreaterThan(endedMs);
  });
});

describe('a question to a replica that cannot answer', () => {
  it('names the leader, and tells its own health', async () => {
    const harness = new Harness();
    harness.leaseTimings = usualLease;
    harness.seed(app, web);
    const leader = await harness.start({ identity: 'reroll-0' });
    const standby = await harness.start({ identity: 'reroll-1' });
    for (const path of ['/v1/workloads', '/v1/workloads/Deployment/default/web', '/v1/sources/ConfigMap/default/app']) {
      expect(asked(leader, path).status).toBe(200);
      expect(asked(standby, path).status).toBe(503);
      expect(inspected.problem(standby, path)).toMatchObject({ code: 'not-leading', leader: 'reroll-0' });
    }
    expect(inspected.health(standby)).toMatchObject({ state: 'standby', identity: 'reroll-1', leader: 'reroll-0' });
    expect(inspected.health(leader)).toMatchObject({ state: 'acting', identity: 'reroll-0', leader: 'reroll-0' });
  });

  it('says that the first lists are not complete', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const match = ({ pathname }: { readonly pathname: string }) => pathname === '/api/v1/configmaps';
    harness.faults.add({ match, fault: { kind: 'status', code: 503 } });
    const engine = await harness.start();
    expect(asked(engine, '/v1/workloads').status).toBe(503);
    expect(inspected.problem(engine, '/v1/workloads').code).toBe('not-synced');
    const { state, watches } = inspected.health(engine);
    expect(state).toBe('syncing');
    expect(watches).toContainEqual(
      expect.objectContaining({ name: 'configmaps', listed: false, problem: expect.stringContaining('503') }),
    );
  });

  it('says that it has only just started', () => {
    const engine = new Harness().launch();
    expect(inspected.problem(engine, '/v1/workloads').code).toBe('starting');
    expect(inspected.health(engine)).toMatchObject({ state: 'starting', watches: [], queue: { length: 0 } });
  });

  it('says that in webhook mode there are no workloads', async () => {
    const harness = new Harness();
    harness.seed(app, web);
    const engine = await harness.start({}, undefined, { webhook: new FakePostTransport() });
    expect(asked(engine, '/v1/workloads').status).toBe(404);
    expect(inspected.problem(engine, '/v1/workloads').code).toBe('no-workloads');
    expect(inspected.health(engine).state).toBe('acting');
  });
});

describe('health', () => {
  it('tells of missing permissions and of what is due', async () => {
    const [, engine] = await running(situations['its baseline may not be written']!);
    const { missingPermissions, queue } = inspected.health(engine);
    expect(missingPermissions).toEqual([expect.stringContaining('missing permission to patch deployments.apps')]);
    expect(queue).toEqual({ length: 1 });
  });

  it.each([120_000, -120_000, 0])('tells how far the clock of its node is ahead: %i ms', async (aheadMs) => {
    const harness = new Harness();
    const own = { nowMs: () => harness.clock.nowMs() + aheadMs };
    const { monotonicMs, timer } = harness.clock;
    const clock = { ...own, monotonicMs: monotonicMs.bind(harness.clock), timer: timer.bind(harness.clock) };
    const engine = harness.launch({}, undefined, {}, clock);
    expect(inspected.health(engine).clockAheadMs).toBeUndefined();
    await harness.clock.advance(5_000);
    expect(Math.abs((inspected.health(engine).clockAheadMs ?? Infinity) - aheadMs)).toBeLessThan(1_500);
  });

  it('tells what the webhook has reported', async () => {
    const harness = new Harness();
    const engine = await harness.start();
    expect(inspected.health(engine).records).toEqual({ taken: 0, refused: 0 });
    engine.reconciler.accept([{}]);
    const lastRefusedAt = new Date(harness.clock.nowMs()).toISOString();
    expect(inspected.health(engine).records).toEqual({
      ...{ taken: 0, refused: 1, lastRefusedAt },
      lastRefusedBecause: 'malformed',
    });
  });
});

describe('a question about a source', () => {
  const users = [
    app,
    web,
    deployment({ name: 'api', annotations: auto, env: [envFromKey('ConfigMap', 'app', 'color')] }),
    deployment({ name: 'batch', annotations: { 'configmap.reloader.stakater.com/reload': 'ap+' } }),
    deployment({
      ...{ name: 'calm', envFrom: [fromConfigMap('app')] },
      annotations: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' },
    }),
    deployment({ name: 'silent', envFrom: [fromConfigMap('app')] }),
  ];

  it('names its users, the rule for each, and whether a change restarts it', async () => {
    const [, engine] = await running({ objects: users, answer: {} });
    const answer = inspected.source(engine, 'configmap/default/app');
    expect(answer).toMatchObject({ presence: 'present', ignore: false, match: false, namespaceSelected: true });
    expect(answer.users.map(({ name, decision, keys, restarts }) => [name, decision, keys, restarts])).toEqual([
      ['api', 'auto', ['color'], true],
      ['batch', 'named', 'all', true],
      ['calm', 'excluded', 'all', false],
      ['web', 'auto', 'all', true],
    ]);
  });

  it.each<[string, Partial<EngineSettings>, string, string]>([
    ['there is none', {}, 'ConfigMap/default/none', 'absent'],
    ['its kind is left out', { ignoredSourceKind: 'Secret' }, 'Secret/default/db', 'not-watched'],
    ['its namespace is left out', { namespaces: ['shop'] }, 'ConfigMap/default/app', 'not-watched'],
    ['CSI is off', {}, 'SecretProviderClass/default/vault', 'not-watched'],
  ])('says that %s', async (_what, settings, path, presence) => {
    const [, engine] = await running({ objects: [namespace('shop'), app], settings, answer: {} });
    expect(inspected.source(engine, path)).toMatchObject({ presence, users: [] });
  });

  it.each([
    [false, 'the source does not exist, and --reload-on-create is off'],
    [true, 'the workload restarts for everything it uses'],
  ])('says whether its creation would restart its users: %s', async (reloadOnCreate, why) => {
    const [, engine] = await running({ objects: [web], settings: { reloadOnCreate }, answer: {} });
    expect(inspected.source(engine, 'ConfigMap/default/app').users).toEqual([
      expect.objectContaining({ name: 'web', restarts: reloadOnCreate, why }),
    ]);
  });

  it('names at most 500 users and counts the rest', async () => {
    const many = Array.from({ length: 503 }, (_, index) => deployment({ name: `web-${String(index)}`, ...uses }));
    const [, engine] = await running({ objects: [app, ...many], answer: {} });
    const { users: named, moreUsers } = inspected.source(engine, 'ConfigMap/default/app');
    expect([named.length, moreUsers]).toEqual([500, 3]);
  });
});

describe('pages', () => {
  const many = ['e', 'a', 'd', 'b', 'c'].map((name) => deployment({ name, ...uses }));
  const elsewhere = deployment({ name: 'f', namespace: 'shop', ...uses });

  it('come in order, and each names the next', async () => {
    const [harness, engine] = await running({ objects: [app, namespace('shop'), ...many, elsewhere], answer: {} });
    const names: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined && pages < 9; pages++) {
      const page = inspected.page(engine, `?limit=2&continue=${token}`);
      names.push(page.workloads.map(({ name }) => name).join(''));
      token = page.continue;
      // The last workload of a page may be deleted before the next page is asked for.
      if (pages === 0) await harness.delete('Deployment', 'b');
      await harness.clock.advance(2_000);
    }
    expect(names).toEqual(['ab', 'cd', 'ef']);
    expect(inspected.page(engine, '?namespace=shop').workloads.map(({ name }) => name)).toEqual(['f']);
    expect(inspected.page(engine, '?namespace=none').workloads).toEqual([]);
  });

  it('tell of the first baselines, which are recorded in turn', async () => {
    const harness = new Harness();
    const names = Array.from({ length: 150 }, (_, index) => `web-${String(index)}`);
    harness.seed(app, ...names.map((name) => deployment({ name, ...uses })));
    await harness.clock.advance(settled);
    const engine = harness.launch();
    await harness.clock.advance(1_500);
    const waiting = { state: 'waiting', waitsFor: 'baseline-turn', until: expect.any(String) };
    expect(inspected.page(engine).workloads).toContainEqual(expect.objectContaining(waiting));
    await harness.clock.advance(settled);
    expect(inspected.page(engine).workloads.filter(({ state }) => state !== 'in-step')).toEqual([]);
  });

  it('are at most a quarter of a second old', async () => {
    const [harness, engine] = await running({ objects: [app, web], answer: {} });
    const state = (): string | undefined => inspected.page(engine).workloads[0]?.state;
    expect(state()).toBe('in-step');
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(200);
    expect(state()).toBe('in-step');
    await harness.clock.advance(50);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(1);
    expect(state()).toBe('pending');
  });
});

describe('no answer', () => {
  it('holds a value or a digest', async () => {
    const values = ['v4lue-one', 'v4lue-two', 'v4lue-three'] as const;
    const objects = [
      configMap({ name: 'app', data: { color: values[0] } }),
      secret({ name: 'db', data: { password: values[1] } }),
      deployment({
        ...{ name: 'web', envFrom: [fromConfigMap('app'), fromSecret('db')] },
        annotations: { ...auto, 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' },
      }),
      deployment({ name: 'api', annotations: auto, env: [envFromKey('Secret', 'db', 'password')] }),
    ];
    const [harness, engine] = await running({ objects, answer: {} });
    const baselines: string[] = [];
    const texts: string[] = [];
    const look = async (): Promise<void> => {
      for (const { metadata } of harness.objects('Deployment')) {
        baselines.push(metadata.annotations?.['reroll.dev/baseline'] ?? '');
      }
      const paths = ['workloads/Deployment/default/web', 'workloads/Deployment/default/api', 'workloads', 'health'];
      for (const path of [...paths, 'sources/ConfigMap/default/app', 'sources/Secret/default/db']) {
        texts.push(asked(engine, `/v1/${path}`).text);
      }
      await harness.clock.advance(2_000);
    };
    await look();
    await harness.edit('Secret', 'db', { password: values[2] });
    await harness.clock.advance(5_000);
    await look();
    await harness.clock.advance(120_000);
    await look();
    const digests = new Set(baselines.flatMap((text) => text.match(/[A-Za-z0-9_-]{22}/g) ?? []));
    expect(digests.size).toBeGreaterThan(3);
    const encoded = values.map((value) => Buffer.from(value).toString('base64'));
    const found = [...values, ...encoded, ...digests].filter((text) => texts.some((answer) => answer.includes(text)));
    expect(found).toEqual([]);
    expect(texts.some((text) => text.includes('"changedKeys":["password"]'))).toBe(true);
  });
});
