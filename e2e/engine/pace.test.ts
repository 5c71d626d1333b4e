import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited, type PaceSettings } from '../../shared/domain/gate-settings/pace-settings';
import { parseRestartRate } from '../../shared/domain/gate-settings/restart-rate';
import { parseRollingLimit } from '../../shared/domain/gate-settings/rolling-limit';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { patchObject, type KubeObject } from '../../shared/kube/client/objects';
import { namespaces } from '../../shared/kube/resource';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { configMap, cronJob, deployment, fromConfigMap, namespace, secret } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { Harness, handoverLease, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const maxRolling = 'reroll.dev/max-rolling';
const pausePeriod = 'deployment.reloader.stakater.com/pause-period';
const readyDelayMs = 20_000;
const minuteMs = 60_000;

let harness: Harness;
let engine: Engine;
/** Deployments that are restarted and have yet to roll out: at most at once, by what counts them together. */
let most: Map<string, number>;

beforeEach(() => {
  harness = new Harness();
  harness.seed(
    ...['shop', 'bank'].flatMap((name) => [
      namespace(name),
      configMap({ name: 'app', namespace: name, data: { color: 'red' } }),
    ]),
  );
  most = new Map();
});

afterEach(async () => await engine.stop());

interface App {
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
  readonly replicas?: number;
  readonly uses?: readonly string[];
  readonly nodeSelector?: Record<string, string>;
}

function app(
  name: string,
  { namespace: where = 'shop', annotations = {}, replicas = 1, uses = ['app'], nodeSelector }: App = {},
) {
  const envFrom = uses.map((source) => fromConfigMap(source));
  const object = deployment({ name, namespace: where, annotations: { ...auto, ...annotations }, replicas, envFrom });
  if (nodeSelector) Object.assign(objectOf(fieldAt(object, ['spec', 'template', 'spec'])), { nodeSelector });
  return object;
}

function apps(count: number, options: App = {}, prefix = 'web') {
  return Array.from({ length: count }, (_, n) => app(`${prefix}-${n}`, options));
}

function paceOf(pace: Partial<PaceSettings> | string): PaceSettings {
  const settings = typeof pace === 'string' ? { maxRolling: parseRollingLimit(pace) } : pace;
  return { ...unlimited, ...settings };
}

async function start(pace: Partial<PaceSettings> | string = {}, settings: Partial<EngineSettings> = {}): Promise<void> {
  new Controllers(harness.server, { readyDelayMs }).start();
  await harness.clock.advance(2 * minuteMs);
  engine = await harness.start({ pace: paceOf(pace), ...settings });
  await harness.clock.advance(30_000);
}

async function edit(color: string, where = 'shop', name = 'app'): Promise<void> {
  await harness.edit('ConfigMap', name, { color }, where);
}

/** Lets time go by, and looks each second at how many roll. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await harness.clock.advance(1_000);
    note('all', rolling());
    for (const where of ['shop', 'bank']) note(where, rolling(where));
  }
}

function note(what: string, count: number): void {
  most.set(what, Math.max(most.get(what) ?? 0, count));
}

function rolling(where?: string): number {
  return harness.objects('Deployment').filter((object) => {
    const { name, namespace: own } = object.metadata;
    return (where === undefined || own === where) && restarts(name, own) > 0 && !isRolledOut(object);
  }).length;
}

function isRolledOut(object: KubeObject): boolean {
  const wanted = fieldAt(object, ['spec', 'replicas']);
  const status = (field: string): unknown => fieldAt(object, ['status', field]);
  const pods = ['updatedReplicas', 'availableReplicas', 'replicas'].map(status);
  return status('observedGeneration') === object.metadata.generation && pods.every((count) => count === wanted);
}

function restarts(name: string, where = 'shop'): number {
  return harness.restarts('Deployment', name, where);
}

function total(where?: string): number {
  return harness
    .objects('Deployment')
    .filter(({ metadata }) => where === undefined || metadata.namespace === where)
    .reduce((sum, { metadata }) => sum + restarts(metadata.name, metadata.namespace), 0);
}

function status(name: string, where = 'shop'): object {
  return inspected.workload(engine, `Deployment/${where}/${name}`);
}

async function annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
  await harness.patch('Deployment', name, { metadata: { annotations } }, 'shop');
}

async function annotateNamespace(annotations: Record<string, string | null>): Promise<void> {
  await patchObject(harness.admin, namespaces, undefined, 'shop', { metadata: { annotations } }, { type: 'merge' });
}

describe('the number of workloads that roll at once', () => {
  it('is not limited without a flag, and all restart at once', async () => {
    harness.seed(...apps(8));
    await start();
    await edit('blue');
    await pass(10_000);
    expect([total(), most.get('all')]).toEqual([8, 8]);
  });

  it('is kept in the cluster, and each restarts once', async () => {
    harness.seed(...apps(6), ...apps(5, { namespace: 'bank' }));
    await start('3');
    await edit('blue');
    await edit('blue', 'bank');
    await pass(10_000);
    expect(total()).toBe(3);
    expect(status('web-5')).toMatchObject({ state: 'waiting', waitsFor: 'pace', detail: '--max-rolling: 3 workloads' });
    await pass(4 * minuteMs);
    expect([total('shop'), total('bank'), most.get('all')]).toEqual([6, 5, 3]);
    expect(status('web-5')).toMatchObject({ restart: 'not-owed' });
  });

  it('is kept in each namespace, and an annotation there replaces the flag', async () => {
    harness.seed(...apps(6), ...apps(6, { namespace: 'bank' }));
    await start({ perNamespace: { count: 2, unit: 'workloads' } });
    await annotateNamespace({ [maxRolling]: '4' });
    await pass(5_000);
    await edit('blue');
    await edit('blue', 'bank');
    await pass(10_000);
    expect([rolling('shop'), rolling('bank')]).toEqual([4, 2]);
    await annotateNamespace({ [maxRolling]: 'off' });
    await pass(5_000);
    expect(rolling('shop')).toBe(6);
    await pass(4 * minuteMs);
    expect([total('shop'), total('bank'), most.get('bank')]).toEqual([6, 6, 2]);
  });

  it('is kept among the users of a source', async () => {
    harness.seed(configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(...apps(4), ...apps(4, { uses: ['other'] }, 'free'));
    await start();
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations: { [maxRolling]: '1' } } }, 'shop');
    await pass(5_000);
    await edit('blue');
    await edit('blue', 'shop', 'other');
    await pass(10_000);
    expect(harness.restartOrder().filter((name) => name.startsWith('web'))).toHaveLength(1);
    expect(harness.restartOrder().filter((name) => name.startsWith('free'))).toHaveLength(4);
    expect(status('web-3')).toMatchObject({ detail: 'reroll.dev/max-rolling on ConfigMap app: 1 workload' });
    await pass(3 * minuteMs);
    expect(total()).toBe(8);
  });

  it('is kept among the users of a source, whatever they are restarted for', async () => {
    harness.seed(configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(...apps(4, { uses: ['app', 'other'] }));
    await start();
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations: { [maxRolling]: '1' } } }, 'shop');
    await pass(5_000);
    await edit('blue', 'shop', 'other');
    await pass(3 * minuteMs);
    expect([total(), most.get('shop')]).toEqual([4, 1]);
  });

  it('is kept in each node pool', async () => {
    const pool = (name: string): App => ({ nodeSelector: { 'example.com/pool': name } });
    harness.seed(...apps(3, pool('a'), 'a'), ...apps(3, pool('b'), 'b'), ...apps(3, {}, 'none'));
    await start({ perNodePool: { count: 1, unit: 'workloads' }, nodePoolLabel: 'example.com/pool' });
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder().map((name) => name.split('-')[0])).toEqual(
      expect.arrayContaining(['a', 'b', 'none', 'none', 'none']),
    );
    expect(harness.restartOrder()).toHaveLength(5);
    await pass(3 * minuteMs);
    expect(total()).toBe(9);
  });

  it('may be one of pods, and a workload with more of them goes alone', async () => {
    harness.seed(...apps(3, { replicas: 2 }), app('zeus', { replicas: 9 }));
    await start('4 pods');
    await edit('blue');
    await pass(10_000);
    expect(rolling()).toBe(2);
    for (let seconds = 0; seconds < 360; seconds++) {
      await pass(1_000);
      const isAlone = restarts('zeus') > 0 && !isRolledOut(await harness.get('Deployment', 'zeus', 'shop'));
      if (isAlone) expect(rolling()).toBe(1);
    }
    expect(total()).toBe(4);
  });

  it('may be one of pods, and a workload with more of them than are free is not passed for ever by those that come later', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `s-${n}`);
    for (const name of names) {
      harness.seed(configMap({ name, namespace: 'shop', data: { color: 'red' } }), app(`of-${name}`, { uses: [name] }));
    }
    harness.seed(app('big', { replicas: 3 }));
    await start('3 pods');
    await edit('blue', 'shop', 's-0');
    await pass(5_000);
    await edit('blue');
    for (const name of names.slice(1)) {
      await pass(10_000);
      await edit('blue', 'shop', name);
    }
    await pass(3 * minuteMs);
    expect([harness.restartOrder().indexOf('big'), total()]).toEqual([1, 13]);
  });

  it('ends for one that does not become ready, after ten minutes', async () => {
    harness.seed(...apps(2));
    new Controllers(harness.server, { readyDelayMs: 60 * minuteMs }).start();
    await harness.clock.advance(90 * minuteMs);
    engine = await harness.start({ pace: paceOf('1') });
    await edit('blue');
    await harness.clock.advance(8 * minuteMs);
    expect(total()).toBe(1);
    await harness.clock.advance(4 * minuteMs);
    expect(total()).toBe(2);
  });

  it('keeps no place for one whose restart an admission webhook does not let through', async () => {
    harness.seed(app('web'), app('web', { namespace: 'bank' }));
    await start('1');
    const message = 'Internal error occurred: failed calling webhook "x.example.com": EOF';
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/shop/deployments/web'),
      fault: { kind: 'status', code: 500, message },
    });
    await edit('blue');
    await pass(minuteMs);
    await edit('blue', 'bank');
    await pass(2 * minuteMs);
    expect([restarts('web'), restarts('web', 'bank')]).toEqual([0, 1]);
  });

  it('is kept when Reroll resumes those that it held paused', async () => {
    harness.seed(...apps(8, { annotations: { [pausePeriod]: '1m' } }));
    await start('2', { stages: withoutStages });
    await edit('blue');
    await pass(8 * minuteMs);
    expect([total(), rolling(), most.get('all')]).toEqual([8, 0, 2]);
  });

  it('is kept by the next leader, too, when it resumes those that the one before paused', async () => {
    harness = new Harness();
    harness.leaseTimings = handoverLease;
    harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(...apps(6, { annotations: { [pausePeriod]: '1m' } }));
    await start('2', { stages: withoutStages });
    await edit('blue');
    await pass(20_000);
    engine.kill();
    engine = await harness.start({ identity: 'reroll-1', pace: paceOf('2'), stages: withoutStages });
    await pass(7 * minuteMs);
    expect([total(), rolling(), most.get('all')]).toEqual([6, 0, 2]);
  });

  it('keeps nobody waiting for longer than ten minutes of a pause, and counts it again when that ends', async () => {
    harness.seed(
      configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }),
      app('web', { uses: ['other'] }),
    );
    harness.seed(app('held', { annotations: { [pausePeriod]: '30m' } }));
    await start('1', { stages: withoutStages });
    await edit('blue');
    await pass(10_000);
    await edit('blue', 'shop', 'other');
    await pass(9 * minuteMs);
    expect(harness.restartOrder()).toEqual(['held']);
    await pass(minuteMs);
    expect(harness.restartOrder()).toEqual(['held', 'web']);
    await harness.clock.advance(19 * minuteMs);
    while (fieldAt(await harness.get('Deployment', 'held', 'shop'), ['spec', 'paused']) === true) await pass(1_000);
    await edit('green', 'shop', 'other');
    await pass(readyDelayMs - 5_000);
    expect([restarts('web'), rolling()]).toEqual([1, 1]);
    await pass(minuteMs);
    expect(restarts('web')).toBe(2);
  });

  it('does not count those that somebody else paused', async () => {
    harness.seed(...apps(3));
    await start('1', { stages: withoutStages });
    for (const n of [0, 1, 2]) await harness.patch('Deployment', `web-${n}`, { spec: { paused: true } }, 'shop');
    await edit('blue');
    await pass(10_000);
    expect(total()).toBe(3);
  });

  it('does not count workloads that others roll', async () => {
    harness.seed(...apps(3));
    await start('1');
    await harness.patch('Deployment', 'web-0', { spec: { template: { metadata: { labels: { x: '1' } } } } }, 'shop');
    await edit('blue');
    await pass(5_000);
    expect(total()).toBe(1);
  });

  it('takes no place for a CronJob', async () => {
    harness.seed(
      app('web'),
      cronJob({ name: 'nightly', namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] }),
    );
    await start('1');
    await edit('blue');
    await pass(8_000);
    expect([total(), harness.objects('Job')]).toMatchObject([1, [{}]]);
  });

  it('is known to the next leader', async () => {
    harness = new Harness();
    harness.leaseTimings = handoverLease;
    harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }), ...apps(6));
    await start('2');
    await edit('blue');
    await pass(5_000);
    expect(total()).toBe(2);
    engine.kill();
    engine = await harness.start({ identity: 'reroll-1', pace: paceOf('2') });
    await pass(5 * minuteMs);
    expect([total(), most.get('all')]).toEqual([6, 2]);
  });

  it('gives the place of one that owes nothing any more to the next', async () => {
    harness.seed(configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(app('web-0'), app('web-1', { uses: ['other'] }), app('web-2', { uses: ['app', 'other'] }));
    await start('1');
    await edit('blue');
    await edit('blue', 'shop', 'other');
    await pass(5_000);
    await edit('red');
    await edit('red', 'shop', 'other');
    await pass(3 * minuteMs);
    expect(total()).toBeLessThanOrEqual(2);
    expect(rolling()).toBe(0);
  });

  it('is passed by no urgent source, but an urgent one is next', async () => {
    harness.seed(
      configMap({
        name: 'key',
        namespace: 'bank',
        data: { color: 'red' },
        annotations: { 'reroll.dev/urgent': 'true' },
      }),
    );
    harness.seed(...apps(4), app('vault', { namespace: 'bank', uses: ['key'] }));
    await start('1');
    await edit('blue');
    await pass(5_000);
    await edit('blue', 'bank', 'key');
    await pass(3 * minuteMs);
    expect(harness.restartOrder().indexOf('vault')).toBe(1);
    expect([total(), most.get('all')]).toEqual([5, 1]);
  });

  it('is shared fairly: few of one namespace are not kept by many of another', async () => {
    harness.seed(...apps(8), ...apps(2, { namespace: 'bank' }, 'few'));
    await start('2');
    await edit('blue');
    await pass(5_000);
    await edit('blue', 'bank');
    await pass(2 * minuteMs);
    expect(harness.restartOrder().findIndex((name) => name === 'few-1')).toBeLessThan(6);
  });

  it('costs no request for those that wait, and is told once for each', async () => {
    harness.seed(...apps(20));
    new Controllers(harness.server, { readyDelayMs: 8 * minuteMs }).start();
    await harness.clock.advance(20 * minuteMs);
    engine = await harness.start({ pace: paceOf('1'), stages: withoutStages });
    await edit('blue');
    await harness.clock.advance(30_000);
    harness.requestsSinceLast();
    await harness.clock.advance(6 * minuteMs);
    expect(harness.requestsSinceLast().filter((request) => !request.startsWith('watch '))).toEqual([]);
    await harness.clock.advance(60 * minuteMs);
    const told = engine.lines.filter(({ message }) => message.includes('not restarted yet'));
    expect(told).toHaveLength(19);
    expect(await engine.metrics.registry.text()).toContain('reroll_rolling_workloads 1');
  });
});

describe('the rate of restarts', () => {
  it('lets so many begin in any such time, also for the next leader', async () => {
    harness = new Harness();
    harness.leaseTimings = handoverLease;
    harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }), ...apps(9));
    const rate = parseRestartRate('3/m');
    await start({ rate });
    await edit('blue');
    await pass(10_000);
    expect(total()).toBe(3);
    expect(status('web-8')).toMatchObject({ waitsFor: 'pace', detail: '--restart-rate: 3/m' });
    engine.kill();
    engine = await harness.start({ identity: 'reroll-1', pace: paceOf({ rate }) });
    await pass(30_000);
    expect(total()).toBe(3);
    await pass(50_000);
    expect(total()).toBe(6);
    await pass(minuteMs);
    expect(total()).toBe(9);
  });

  it('counts CronJobs', async () => {
    harness.seed(
      app('web'),
      cronJob({ name: 'nightly', namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] }),
    );
    await start({ rate: parseRestartRate('1/m') });
    await edit('blue');
    await pass(20_000);
    expect(total() + harness.objects('Job').length).toBe(1);
    await pass(minuteMs);
    expect(total() + harness.objects('Job').length).toBe(2);
  });
});

describe('the rate of restarts, and a tenant whose urgent sources change all the time', () => {
  it('is shared: others get half of it', async () => {
    const keys = Array.from({ length: 4 }, (_, number) => `keys-${number}`);
    const annotations = { 'reroll.dev/urgent': 'true' };
    for (const name of keys)
      harness.seed(
        configMap({ name, namespace: 'shop', annotations, data: { color: 'red' } }),
        app(name, { uses: [name] }),
      );
    harness.seed(...apps(4, { namespace: 'bank' }));
    await start({ rate: parseRestartRate('2/m') });
    await edit('blue', 'bank');
    for (let times = 0; times < 60; times++) {
      await edit(`color-${times}`, 'shop', keys[times % 4]);
      await pass(5_000);
    }
    expect(harness.restartOrder().filter((name) => name.startsWith('web-'))).toHaveLength(4);
    expect(total()).toBe(10);
  });
});

describe('the order of restarts for one change', () => {
  const wave = (number: number): App => ({ annotations: { 'reroll.dev/wave': String(number) } });

  it('is by waves, and each is rolled out before the next', async () => {
    harness.seed(...apps(2, wave(10), 'last'), ...apps(2, {}, 'middle'), ...apps(2, wave(-1), 'first'));
    await start();
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder().toSorted()).toEqual(['first-0', 'first-1']);
    expect(status('last-0')).toMatchObject({ state: 'waiting', waitsFor: 'order' });
    await pass(readyDelayMs + 5_000);
    expect(harness.restartOrder().slice(2).toSorted()).toEqual(['middle-0', 'middle-1']);
    await pass(2 * minuteMs);
    expect(harness.restartOrder().slice(4).toSorted()).toEqual(['last-0', 'last-1']);
  });

  it('is of one source: users of another do not wait', async () => {
    harness.seed(configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(app('first'), app('last', { ...wave(10), uses: ['other'] }));
    await start();
    await edit('blue');
    await edit('blue', 'shop', 'other');
    await pass(10_000);
    expect(harness.restartOrder().toSorted()).toEqual(['first', 'last']);
  });

  it('waits for one that is held, and says so', async () => {
    harness.seed(app('first', { annotations: { 'reroll.dev/hold': 'true' } }), app('last', wave(10)));
    await start();
    await edit('blue');
    await pass(5 * minuteMs);
    expect(harness.restartOrder()).toEqual([]);
    expect(status('last')).toMatchObject({
      waitsFor: 'order',
      detail: 'reroll.dev/wave 0 comes first: Deployment first has still to restart',
    });
    await annotate('first', { 'reroll.dev/hold': null });
    await pass(minuteMs);
    expect(harness.restartOrder()).toEqual(['first', 'last']);
  });

  it('does not wait for one that has been broken since before the change', async () => {
    harness.seed(app('first'), app('last', wave(10)));
    await start();
    await harness.patch('Deployment', 'first', { spec: { paused: true } }, 'shop');
    await harness.patch('Deployment', 'first', { spec: { template: { metadata: { labels: { x: '1' } } } } }, 'shop');
    await annotate('first', { 'reloader.stakater.com/auto': 'false' });
    await pass(5_000);
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual(['last']);
  });

  it('is by names: after others, which are rolled out', async () => {
    harness.seed(app('db'), app('cache', { annotations: { 'reroll.dev/after': 'deployment/db' } }));
    harness.seed(app('web', { annotations: { 'reroll.dev/after': 'Deployment/db, deployments/cache' } }));
    await start();
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual(['db']);
    expect(status('web')).toMatchObject({ detail: 'reroll.dev/after: Deployment db is still rolling out' });
    await pass(3 * minuteMs);
    expect(harness.restartOrder()).toEqual(['db', 'cache', 'web']);
  });

  it('holds for one that restarts while Reroll reads whether another rollout has answered', async () => {
    harness.seed(configMap({ name: 'db', namespace: 'shop', data: { color: 'red' } }), app('db', { uses: ['db'] }));
    harness.seed(app('web', { annotations: { 'reroll.dev/after': 'deployment/db' } }));
    await start();
    harness.faults.add({
      match: ({ method, query }) => method === 'GET' && query.get('fieldSelector') === 'metadata.name=web',
      fault: { kind: 'delay', delayMs: 4_000 },
    });
    await edit('blue');
    // A rollout that may have answered the change, so the workload is read.
    await harness.patch('Deployment', 'web', { spec: { replicas: 2 } }, 'shop');
    await pass(1_000);
    await edit('blue', 'shop', 'db');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual(['db']);
    expect(status('web')).toMatchObject({ detail: 'reroll.dev/after: Deployment db is still rolling out' });
    await pass(minuteMs);
    expect(harness.restartOrder()).toEqual(['db', 'web']);
  });

  it('is by controlling owners', async () => {
    harness.seed(app('parent'));
    const { uid } = (await harness.get('Deployment', 'parent', 'shop')).metadata;
    const owned = app('child');
    const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'parent', uid, controller: true };
    harness.seed({ ...owned, metadata: { ...owned.metadata, ownerReferences: [controller] } });
    await start();
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual(['parent']);
    await pass(minuteMs);
    expect(harness.restartOrder()).toEqual(['parent', 'child']);
  });

  it('waits for nothing that is not there', async () => {
    harness.seed(app('web', { annotations: { 'reroll.dev/after': 'deployment/gone' } }));
    await start();
    await edit('blue');
    await pass(5_000);
    expect(harness.restartOrder()).toEqual(['web']);
  });

  it('goes on when the one before is deleted', async () => {
    harness.seed(
      app('db', { annotations: { 'reroll.dev/hold': 'true' } }),
      app('web', { annotations: { 'reroll.dev/after': 'deployment/db' } }),
    );
    await start();
    await edit('blue');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual([]);
    await harness.delete('Deployment', 'db', 'shop');
    await pass(10_000);
    expect(harness.restartOrder()).toEqual(['web']);
  });

  it.each<[string, Record<string, App>]>([
    [
      'by names',
      {
        a: { annotations: { 'reroll.dev/after': 'deployment/b' } },
        b: { annotations: { 'reroll.dev/after': 'deployment/a' } },
      },
    ],
    ['by names and waves', { a: { annotations: { 'reroll.dev/after': 'deployment/b' } }, b: wave(10) }],
    [
      'of three',
      {
        a: { annotations: { 'reroll.dev/after': 'deployment/b' } },
        b: { annotations: { 'reroll.dev/after': 'deployment/c' } },
        c: { annotations: { 'reroll.dev/after': 'deployment/a' } },
      },
    ],
  ])('in a circle %s has no effect, and is told once', async (_what, members) => {
    harness.seed(...Object.entries(members).map(([name, options]) => app(name, options)));
    await start();
    await edit('blue');
    await pass(2 * minuteMs);
    await edit('green');
    await pass(2 * minuteMs);
    expect(total()).toBe(2 * Object.keys(members).length);
    expect(
      engine.lines.filter(({ message }) => message.includes('which in the end waits for it too')).length,
    ).toBeGreaterThan(0);
  });

  it('is kept by urgent sources, and with limits', async () => {
    await harness.patchSource(
      'ConfigMap',
      'app',
      { metadata: { annotations: { 'reroll.dev/urgent': 'true' } } },
      'shop',
    );
    harness.seed(...apps(3, wave(10), 'last'), ...apps(3, {}, 'first'));
    await start('2');
    await edit('blue');
    await pass(5 * minuteMs);
    expect(harness.restartOrder().map((name) => name.split('-')[0])).toEqual([
      'first',
      'first',
      'first',
      'last',
      'last',
      'last',
    ]);
    expect(most.get('all')).toBe(2);
  });

  it('waits for one that may owe, of a Secret that was not read yet', async () => {
    harness.seed(secret({ name: 'db', namespace: 'shop', data: { password: 'a' } }));
    const uses = { envFrom: [{ secretRef: { name: 'db' } }], namespace: 'shop' };
    harness.seed(
      deployment({ name: 'first', annotations: auto, ...uses }),
      deployment({ name: 'last', annotations: { ...auto, 'reroll.dev/wave': '1' }, ...uses }),
    );
    await start();
    await harness.edit('Secret', 'db', { password: 'b' }, 'shop');
    await pass(5_000);
    expect(harness.restartOrder()).toEqual(['first']);
    await pass(2 * minuteMs);
    expect(harness.restartOrder()).toEqual(['first', 'last']);
  });
});
