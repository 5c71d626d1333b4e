import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import type { StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { configMap, cronJob, daemonSet, deployment, fromConfigMap, namespace, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { Fault } from '../apiserver/faults';
import { Harness, type Engine } from './harness';
import { inspected } from './inspection.fixture';

const auto = { 'reloader.stakater.com/auto': 'true' };
const minuteMs = 60_000;
/** Pods with this color never become ready. */
const bad = 'black';

let harness: Harness;
let engine: Engine;

beforeEach(() => {
  harness = new Harness();
  harness.seed(namespace('shop'), configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
});

afterEach(async () => await engine.stop());

interface App {
  readonly annotations?: Record<string, string>;
  readonly replicas?: number;
  readonly uses?: readonly string[];
}

function app(name: string, { annotations = {}, replicas = 1, uses = ['app'] }: App = {}) {
  const envFrom = uses.map((source) => fromConfigMap(source));
  return deployment({ name, namespace: 'shop', annotations: { ...auto, ...annotations }, replicas, envFrom });
}

function apps(count: number, options: App = {}, prefix = 'web') {
  return Array.from({ length: count }, (_, n) => app(`${prefix}-${String(n).padStart(2, '0')}`, options));
}

async function start(stages: Partial<StageSettings> = {}, settings: Partial<EngineSettings> = {}): Promise<void> {
  const isBroken = (sources: ReadonlyMap<string, unknown>): boolean =>
    [...sources.values()].some((source) => fieldAt(source, ['data', 'color']) === bad);
  new Controllers(harness.server, { readyDelayMs: 5_000, isBroken }).start();
  await harness.clock.advance(minuteMs);
  const all = { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs, ...stages };
  engine = await harness.start({ pace: unlimited, stages: all, ...settings });
  await harness.clock.advance(30_000);
}

async function edit(color: string, name = 'app'): Promise<void> {
  await harness.edit('ConfigMap', name, { color }, 'shop');
}

/** Returns what ends it. */
function refuseRestartsOf(name: string, fault: Extract<Fault, { readonly kind: 'status' }>): () => void {
  return harness.faults.add({
    match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith(`/deployments/${name}`),
    fault,
  });
}

function status(name: string): object {
  return inspected.workload(engine, `Deployment/shop/${name}`);
}

function events(reason: string): readonly string[] {
  return harness
    .objects('Event')
    .filter((event) => fieldAt(event, ['reason']) === reason)
    .map((event) => {
      const { kind, name } = objectOf(fieldAt(event, ['involvedObject']) ?? fieldAt(event, ['regarding']));
      return `${String(kind)} ${String(name)}`;
    });
}

describe('a change of a source with many users', () => {
  it('restarts one first, then a tenth, then the rest, each when those before are healthy for a time', async () => {
    harness.seed(...apps(30));
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['web-00']);
    await harness.clock.advance(25_000);
    expect(harness.restartOrder()).toHaveLength(1);
    expect(status('web-29')).toMatchObject({
      ...{ state: 'waiting', waitsFor: 'stages' },
      detail: 'ConfigMap app restarts its users in stages: Deployment web-00 must first be healthy for 30s',
    });
    await harness.clock.advance(15_000);
    expect(harness.restartOrder()).toEqual(['web-00', 'web-01', 'web-02', 'web-03']);
    await harness.clock.advance(15_000);
    expect(harness.restartOrder()).toHaveLength(4);
    await harness.clock.advance(30_000);
    expect(new Set(harness.restartOrder()).size).toBe(30);
    expect(harness.restartOrder()).toHaveLength(30);
    expect(status('web-29')).toMatchObject({ restart: 'not-owed' });
  });

  it('restarts all at once if it has few users', async () => {
    harness.seed(...apps(4));
    await start();
    await edit(bad);
    await harness.clock.advance(5_000);
    expect(harness.restartOrder()).toHaveLength(4);
  });

  it('stops at one that does not become healthy, and says so once', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(4 * minuteMs);
    expect(events('RestartsStopped')).toEqual([]);
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    expect(status('web-29')).toMatchObject({
      waitsFor: 'stages',
      detail: expect.stringMatching(
        /^restarts for ConfigMap app are stopped: Deployment web-00 is not healthy since it restarted at /,
      ),
    });
    expect(events('RestartsStopped').toSorted()).toEqual(['ConfigMap app', 'Deployment web-00']);
    expect(await engine.metrics.registry.text()).toContain('reroll_stopped_sources 1');
  });

  it('goes on with the next change: the one that is broken shows nothing, so another one goes first', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await edit('green');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(31);
    expect(harness.restartOrder()[1]).toBe('web-01');
    expect(await engine.metrics.registry.text()).toContain('reroll_stopped_sources 0');
  });

  it('goes on when somebody resumes it, for this content only', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    const told = String(
      harness
        .objects('Deployment')
        .map((object) => fieldAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'])),
    );
    const id = /"cm\/app":"([0-9a-f]{8})"/.exec(told)?.[1] ?? '';
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations: { 'reroll.dev/resumed': id } } }, 'shop');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toHaveLength(30);
    await edit('white');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toHaveLength(31);
  });

  it('has no effect if something else is resumed', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await harness.patchSource(
      'ConfigMap',
      'app',
      { metadata: { annotations: { 'reroll.dev/resumed': '0123abcd' } } },
      'shop',
    );
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('restarts the annotated one first, else the one with the fewest pods', async () => {
    harness.seed(
      ...apps(10, { replicas: 2 }),
      app('small'),
      app('chosen', { replicas: 3, annotations: { 'reroll.dev/canary': 'true' } }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['chosen']);
    await harness.patch('Deployment', 'chosen', { metadata: { annotations: { 'reroll.dev/canary': null } } }, 'shop');
    await harness.clock.advance(5 * minuteMs);
    await edit('green');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()[12]).toBe('small');
  });

  it('restarts the annotated one first when the hold or the window ends that all have waited for', async () => {
    harness.seed(...apps(8), app('zz', { replicas: 3, annotations: { 'reroll.dev/canary': 'true' } }));
    await start();
    const opensAt = new Date(harness.clock.nowMs() + 10 * minuteMs).toISOString().slice(11, 16);
    const say = async (annotations: object): Promise<void> =>
      await harness.patchSource('ConfigMap', 'app', { metadata: { annotations } }, 'shop');
    await say({ 'reroll.dev/hold': 'true' });
    await edit('blue');
    await harness.clock.advance(minuteMs);
    expect(harness.restartOrder()).toEqual([]);
    await say({ 'reroll.dev/hold': null });
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['zz']);
    await say({ 'reroll.dev/windows': `${opensAt}-${opensAt === '00:00' ? '01:00' : '00:00'}` });
    await edit('green');
    await harness.clock.advance(11 * minuteMs);
    expect(harness.restartOrder().slice(0, 2)).toEqual(['zz', 'zz']);
  });

  it('restarts another one first if the first is held, or deleted before it restarts', async () => {
    harness.seed(
      ...apps(10),
      app('held', { replicas: 0, annotations: { 'reroll.dev/canary': 'true', 'reroll.dev/hold': 'true' } }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('waits for one that comes first by its wave, whatever the others say', async () => {
    harness.seed(...apps(10, { annotations: { 'reroll.dev/wave': '1' } }), app('first', { replicas: 3 }));
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['first']);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(11);
  });

  it('waits for one after which the first comes', async () => {
    harness.seed(
      ...apps(10, { replicas: 2 }),
      app('canary', { annotations: { 'reroll.dev/after': 'deployment/web-07' } }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(11);
    expect(harness.restartOrder().indexOf('web-07')).toBeLessThan(harness.restartOrder().indexOf('canary'));
  });

  it('restarts the annotated one first when all have waited for the same workload', async () => {
    const after = { 'reroll.dev/after': 'deployment/db' };
    harness.seed(
      ...apps(8, { annotations: after }),
      app('zz', { replicas: 3, annotations: { ...after, 'reroll.dev/canary': 'true' } }),
      app('db', { annotations: { 'reroll.dev/stages': 'off' } }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toEqual(['db', 'zz']);
  });

  it('begins anew with another one if the broken one is deleted', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await harness.delete('Deployment', 'web-00', 'shop');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00', 'web-01']);
  });

  it('begins anew with another one if the broken one is scaled to 0: without pods it shows nothing', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await harness.patch('Deployment', 'web-00', { spec: { replicas: 0 } }, 'shop');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00', 'web-01']);
    expect(events('RestartsStopped')).toEqual(expect.arrayContaining(['Deployment web-00', 'Deployment web-01']));
  });

  it('restarts all that have no pods, though none of them shows anything', async () => {
    harness.seed(...apps(30, { replicas: 0 }));
    await start();
    await edit('blue');
    await harness.clock.advance(minuteMs);
    expect(harness.restartOrder().toSorted()).toEqual(apps(30).map(({ metadata }) => metadata.name));
  });

  it.each([
    ['on the workload', 'Deployment', 'web-05', ['web-05', 'web-00']],
    ['on the source', 'ConfigMap', 'app', 30],
  ] as const)('does not wait with stages: "off" %s', async (_where, kind, name, expected) => {
    harness.seed(...apps(30));
    await start();
    const patch = { metadata: { annotations: { 'reroll.dev/stages': 'off' } } };
    if (kind === 'ConfigMap') await harness.patchSource(kind, name, patch, 'shop');
    else await harness.patch(kind, name, patch, 'shop');
    await harness.clock.advance(5_000);
    await edit(bad);
    await harness.clock.advance(10_000);
    if (typeof expected === 'number') expect(harness.restartOrder()).toHaveLength(expected);
    else expect(harness.restartOrder().toSorted()).toEqual([...expected].toSorted());
  });

  it('has stages with stages: "on", however few users there are', async () => {
    harness.seed(...apps(3));
    await start();
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations: { 'reroll.dev/stages': 'on' } } }, 'shop');
    await edit(bad);
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('an edit of its annotations does not begin anew', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await harness.patchSource('ConfigMap', 'app', { metadata: { annotations: { team: 'x' } } }, 'shop');
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('stays stopped under a new leader, which tells it again', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await engine.stop();
    engine = await harness.start({
      ...{ pace: unlimited, stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs } },
    });
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    expect(status('web-29')).toMatchObject({ waitsFor: 'stages', detail: expect.stringMatching(/are stopped/) });
  });

  it('a new leader waits for the first again, and restarts each once', async () => {
    harness.seed(...apps(30));
    await start();
    await edit('blue');
    await harness.clock.advance(30_000);
    await engine.stop();
    engine = await harness.start({
      ...{ pace: unlimited, stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs } },
    });
    await harness.clock.advance(20_000);
    expect(harness.restartOrder()).toHaveLength(1);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
    expect(new Set(harness.restartOrder()).size).toBe(30);
  });

  it('a user of two sources waits for both', async () => {
    harness.seed(configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }));
    harness.seed(...apps(10), ...apps(10, { uses: ['other'] }, 'zoo'), app('zz-both', { uses: ['app', 'other'] }));
    await start();
    await edit(bad);
    await edit('blue', 'other');
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(11);
    expect(harness.restartOrder()).not.toContain('zz-both');
    expect(status('zz-both')).toMatchObject({
      detail: expect.stringMatching(/^restarts for ConfigMap app are stopped/),
    });
  });

  it('counts users by pattern', async () => {
    const named = { 'configmap.reloader.stakater.com/reload': 'ap.*', 'reloader.stakater.com/auto': 'false' };
    harness.seed(...apps(10, { uses: [], annotations: named }));
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toHaveLength(1);
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(10);
  });

  it('is kept together with the pace, and nobody is woken for nothing', async () => {
    harness.seed(...apps(30));
    await start({}, { pace: { ...unlimited, maxRolling: { count: 2, unit: 'workloads' } } });
    await edit('blue');
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('is of one namespace: what stops there stops nobody elsewhere', async () => {
    harness.seed(namespace('bank'), configMap({ name: 'app', namespace: 'bank', data: { color: 'red' } }));
    const elsewhere = apps(10, {}, 'bank').map((object) => ({
      ...object,
      metadata: { ...object.metadata, namespace: 'bank' },
    }));
    harness.seed(...apps(10), ...elsewhere);
    await start();
    await edit(bad);
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'bank');
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder().filter((name) => name.startsWith('web'))).toHaveLength(1);
    expect(harness.restartOrder().filter((name) => name.startsWith('bank'))).toHaveLength(10);
  });

  it('restarts another one first if the API server does not take the restart of the first', async () => {
    harness.seed(...apps(10, { replicas: 2 }), app('small'));
    await start();
    refuseRestartsOf('small', { kind: 'status', code: 422 });
    await edit('blue');
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(10);
    expect(harness.restartOrder()).not.toContain('small');
  });

  it('restarts another one first if the restart of the first fails again and again, never two at once', async () => {
    harness.seed(...apps(10, { replicas: 2 }), app('small'));
    await start();
    const end = refuseRestartsOf('small', {
      kind: 'status',
      code: 500,
      message: 'failed calling webhook "x.example.com": EOF',
    });
    await edit(bad);
    await harness.clock.advance(4 * minuteMs);
    expect(harness.restartOrder()).toEqual([]);
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    end();
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
    await edit('green');
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(12);
  });

  it('restarts all others in stages though the restart of the first fails for ever', async () => {
    harness.seed(...apps(30, { replicas: 2 }), app('small'));
    await start();
    refuseRestartsOf('small', { kind: 'status', code: 500 });
    await edit('blue');
    await harness.clock.advance(60 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(30);
  });

  it('restarts another one first if another source of the first cannot be read', async () => {
    harness.seed(
      configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }),
      ...apps(10, { replicas: 2 }),
      app('small', { uses: ['app', 'other'] }),
    );
    await start();
    await engine.stop();
    await edit('blue', 'other');
    await edit('blue');
    harness.faults.add({
      match: ({ query }) => query.get('fieldSelector') === 'metadata.name=other',
      fault: { kind: 'status', code: 500 },
    });
    engine = await harness.start({
      ...{ pace: unlimited, stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs } },
    });
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(10);
    expect(harness.restartOrder()).not.toContain('small');
  });

  it('does not stop by a release, or another change, of a first one that has proved the content, though others wait', async () => {
    harness.seed(
      configMap({ name: 'other', namespace: 'shop', data: { color: 'red' } }),
      ...apps(10, { annotations: { 'reroll.dev/hold': 'true' } }),
      app('zz', { uses: ['app', 'other'] }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['zz']);
    await harness.patch('Deployment', 'zz', { spec: { template: { metadata: { labels: { release: '2' } } } } }, 'shop');
    await harness.clock.advance(minuteMs);
    await edit(bad, 'other');
    await harness.clock.advance(20 * minuteMs);
    expect(events('RestartsStopped')).toEqual([]);
    await harness.patch('Deployment', 'web-00', { metadata: { annotations: { 'reroll.dev/hold': null } } }, 'shop');
    await harness.clock.advance(5_000);
    expect(harness.restartOrder()).toEqual(['zz', 'zz', 'web-00']);
  });

  it('keeps its place while the answer to the restart of the first is lost', async () => {
    harness.seed(...apps(10));
    await start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web-00'),
      fault: { kind: 'reset', when: 'after' },
      times: 1,
    });
    await edit(bad);
    await harness.clock.advance(20 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('stays stopped when a leader is killed, also at once after the first restart', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(1_100);
    expect(harness.restartOrder()).toEqual(['web-00']);
    engine.kill();
    engine = await harness.start({
      ...{ pace: unlimited, stages: { fromUsers: 5, healthyForMs: 30_000, deadlineMs: 5 * minuteMs } },
    });
    await harness.clock.advance(30 * minuteMs);
    expect(harness.restartOrder()).toEqual(['web-00']);
  });

  it('goes on by itself when the one that failed becomes healthy', async () => {
    harness.seed(...apps(30));
    await start();
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    await harness.patch('Deployment', 'web-00', { spec: { replicas: 0 } }, 'shop');
    await harness.clock.advance(minuteMs);
    expect(harness.restartOrder().length).toBeGreaterThan(1);
  });

  it('restarts at once those that have the previous content when that comes back', async () => {
    harness.seed(...apps(30));
    await start();
    await edit('blue');
    await harness.clock.advance(5 * minuteMs);
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(31);
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toHaveLength(32);
    expect(await engine.metrics.registry.text()).toContain('reroll_stopped_sources 0');
  });

  it.each([
    ['StatefulSet', statefulSet],
    ['DaemonSet', daemonSet],
  ] as const)('waits for a %s as its controller means healthy', async (kind, make) => {
    const annotations = { ...auto, 'reroll.dev/canary': 'true' };
    harness.seed(
      ...apps(10),
      make({ name: 'canary', namespace: 'shop', annotations, envFrom: [fromConfigMap('app')] }),
    );
    await start();
    await edit('blue');
    await harness.clock.advance(5 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(10);
    await edit(bad);
    await harness.clock.advance(10 * minuteMs);
    expect(harness.restartOrder()).toHaveLength(10);
    expect(harness.restarts(kind, 'canary', 'shop')).toBe(2);
    expect(status('web-05')).toMatchObject({ detail: expect.stringContaining(`are stopped: ${kind} canary`) });
  });

  it('does not take a CronJob for one that shows anything, and begins with another', async () => {
    const cron = cronJob({ name: 'a-report', namespace: 'shop', annotations: auto, envFrom: [fromConfigMap('app')] });
    harness.seed(...apps(10), cron);
    await start();
    await edit('blue');
    await harness.clock.advance(10_000);
    expect(harness.restartOrder()).toEqual(['web-00']);
    const told = (): unknown => harness.objects('CronJob')[0]?.metadata.annotations?.['reroll.dev/last-restart'];
    expect(told()).toBeUndefined();
    await harness.clock.advance(5 * minuteMs);
    expect(told()).toBeDefined();
  });
});
