import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { configMap, daemonSet, deployment, fromConfigMap, fromSecret, secret, statefulSet } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { Fault, FaultTarget } from '../apiserver/faults';
import { Harness, type Engine, handoverLease } from './harness';

const annotations = { 'reloader.stakater.com/auto': 'true' };
const envFrom = [fromConfigMap('app'), fromSecret('db')];
const web = { name: 'web', image: 'app:1', annotations, envFrom, replicas: 3 };

let harness: Harness;
let controllers: Controllers;

beforeEach(() => {
  harness = new Harness();
  harness.seed(configMap({ name: 'app', data: { color: 'red' } }), secret({ name: 'db', data: { pw: 'a' } }));
  controllers = new Controllers(harness.server);
  controllers.start();
});

/** Starts an engine in a cluster with one workload that is fully rolled out. */
async function world(settings: Parameters<Harness['start']>[0] = {}, object = deployment(web)): Promise<Engine> {
  harness.seed(object);
  await harness.clock.advance(30_000);
  const engine = await harness.start(settings);
  harness.requestsSinceLast();
  return engine;
}

async function setImage(image: string, kind: WorkloadKindName = 'Deployment'): Promise<void> {
  await harness.patch(kind, 'web', { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } });
}

async function setColor(color: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
}

async function scale(replicas: number): Promise<void> {
  await harness.patch('Deployment', 'web', { spec: { replicas } });
}

type Act = () => Promise<void>;

/** Runs the acts in order, each `atMs` after the call. */
async function happen(...acts: readonly (readonly [atMs: number, act: Act])[]): Promise<void> {
  let nowMs = 0;
  for (const [atMs, act] of acts) {
    await harness.clock.advance(atMs - nowMs);
    nowMs = atMs;
    await act();
  }
}

function fault(method: string, path: RegExp, fault: Fault, isMeant: () => boolean = () => true): void {
  const isRequest = (target: FaultTarget): boolean =>
    target.method === method && path.test(target.pathname) && (!target.isWatch || fault.kind === 'lag');
  harness.faults.add({ match: (target) => isRequest(target) && isMeant(), fault });
}

function lag(resource: string, lagMs: number): void {
  harness.faults.add({
    match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(`/${resource}`),
    fault: { kind: 'lag', lagMs },
  });
}

/** The distinct colors that the running pods have read from ConfigMap `app`. */
function colorsInUse(): readonly unknown[] {
  const pods = harness.objects('Pod').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const read = pods.map(({ metadata }) => controllers.podSources().get(metadata.uid)?.get('configmaps/app')?.['data']);
  return [...new Set(read.map((data) => (data as { readonly color?: string } | undefined)?.color))];
}

function reads(): number {
  return harness.requestsSinceLast().filter((request) => request.startsWith('list deployments')).length;
}

/** Requests that find out, once, whether resourceVersions of ConfigMaps and Deployments can be compared. */
const compared = ['list deployments.apps', 'list configmaps', 'list deployments.apps'];

const minute = 60_000;

describe('a change that is followed by a rollout of somebody else', () => {
  it.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)('causes no second rollout: %s', async (kind) => {
    const make = { Deployment: deployment, StatefulSet: statefulSet, DaemonSet: daemonSet }[kind];
    await world({}, make(web));
    await happen([0, async () => await setColor('blue')], [300, async () => await setImage('app:2', kind)]);
    await harness.clock.advance(minute);
    expect(harness.restarts(kind, 'web')).toBe(0);
    expect(colorsInUse()).toEqual(['blue']);
  });

  it('is logged, counted and recorded, without an Event', async () => {
    harness.leaseTimings = handoverLease;
    const engine = await world();
    await happen([0, async () => await setColor('blue')], [300, async () => await setImage('app:2')]);
    await harness.clock.advance(minute);
    expect(harness.objects('ReplicaSet')).toHaveLength(2);
    expect(await engine.metrics.registry.text()).toContain(
      'reroll_folded_restarts_total{workload_kind="Deployment"} 1\n',
    );
    expect(engine.lines).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining('Deployment default/web not restarted: coalesced with the rollout') as unknown,
        fields: expect.objectContaining({ because: ['ConfigMap app: content changed (keys: color)'] }) as unknown,
      }),
    );
    // At the end of the settle window: the Deployment at the change, and as it is now. While it rolls, it is recorded that
    // its pods may have the new content. Then as it is when it is rolled out.
    const ofWorkload = ['list deployments.apps', 'get deployments.apps'];
    const rolling = ['patch deployments.apps', 'get deployments.apps'];
    const answered = ['get deployments.apps', 'patch deployments.apps'];
    expect(harness.requestsSinceLast()).toEqual([...compared, ...ofWorkload, ...rolling, ...answered]);
    expect(harness.objects('Event')).toEqual([]);
    await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('and is changed back while that rollout lasts needs a restart: pods have started with what was in between', async () => {
    await world();
    const seconds = (count: number): number => count * 1_000;
    await happen(
      [0, async () => await setColor('blue')],
      [300, async () => await setImage('app:2')],
      [seconds(4), async () => await setColor('red')],
    );
    expect(colorsInUse()).toContain('blue');
    await harness.clock.advance(minute);
    expect(colorsInUse()).toEqual(['red']);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('costs nothing extra if nobody else rolls anything out', async () => {
    await world();
    await setColor('blue');
    await harness.clock.advance(minute);
    const restarted = ['patch deployments.apps', 'create events'];
    expect(harness.requestsSinceLast()).toEqual(restarted);
    await setColor('green');
    await harness.clock.advance(minute);
    expect(harness.requestsSinceLast()).toEqual(restarted);
    expect(harness.restarts('Deployment', 'web')).toBe(2);
  });

  it.each([
    ['deployments', 300],
    ['configmaps', 1_500],
  ])('is answered by the rollout even if the watch of %s is behind', async (plural, imageAtMs) => {
    lag(plural, 5_000);
    await world();
    await harness.clock.advance(minute);
    await happen([0, async () => await setColor('blue')], [imageAtMs, async () => await setImage('app:2')]);
    await harness.clock.advance(2 * minute);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(colorsInUse()).toEqual(['blue']);
  });

  it('of several sources is answered by the rollout', async () => {
    await world();
    await happen(
      [0, async () => await setColor('blue')],
      [200, async () => await harness.edit('Secret', 'db', { pw: 'b' })],
      [500, async () => await setImage('app:2')],
    );
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
  });

  it('is answered by a restart if Reroll dies before the pods are replaced', async () => {
    harness.leaseTimings = handoverLease;
    const engine = await world();
    await happen([0, async () => await setColor('blue')], [300, async () => await setImage('app:2')]);
    await harness.clock.advance(2_000);
    engine.kill();
    await harness.clock.advance(minute);
    await harness.start({ identity: 'reroll-1' });
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('is treated the same way in a dry run', async () => {
    const engine = await world({ dryRun: true });
    await happen([0, async () => await setColor('blue')], [300, async () => await setImage('app:2')]);
    await harness.clock.advance(minute);
    const text = await engine.metrics.registry.text();
    expect(text).toContain('reroll_folded_restarts_total{workload_kind="Deployment"} 1\n');
    expect(text).toContain('reroll_dry_run_restarts_total{workload_kind="Deployment"} 0\n');
  });
});

describe('a change is answered by a restart', () => {
  const image = async (): Promise<void> => await setImage('app:2');
  const former = async (): Promise<void> => await setImage('app:1');
  const blue = async (): Promise<void> => await setColor('blue');
  const green = async (): Promise<void> => await setColor('green');

  it.each<[string, readonly (readonly [number, Act])[]]>([
    ['if the rollout began before it', [[0, image], [300, blue]]], // prettier-ignore
    ['if the rollout came between it and another change', [[0, blue], [300, image], [600, green]]], // prettier-ignore
    ['if the rollout came between it and a change of another source', [[0, blue], [300, image], [600, async () => await harness.edit('Secret', 'db', { pw: 'b' })]]], // prettier-ignore
    ['if the workload is only scaled', [[0, blue], [300, async () => await scale(4)]]], // prettier-ignore
    ['if only annotations are written', [[0, blue], [300, async () => await harness.patch('Deployment', 'web', { metadata: { annotations: { a: 'b' } } })]]], // prettier-ignore
    ['if the rollout is reverted at once', [[0, blue], [300, image], [600, former]]], // prettier-ignore
    ['if the rollout is reverted half-way', [[0, blue], [300, image], [3_000, former]]], // prettier-ignore
    ['if the rollout returns to a template that still has pods', [[0, image], [2_500, blue], [2_800, former]]], // prettier-ignore
    ['if the Deployment requests a pause', [[0, async () => await harness.patch('Deployment', 'web', { metadata: { annotations: { 'deployment.reloader.stakater.com/pause-period': '5s' } } })], [900, blue], [1_200, image]]], // prettier-ignore
  ])('%s', async (_, acts) => {
    await world();
    await happen(...acts);
    await harness.clock.advance(2 * minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(colorsInUse()).toHaveLength(1);
    expect(colorsInUse()).not.toEqual(['red']);
  });

  it('if the watch is so late that the server has compacted the history', async () => {
    const forget = async (): Promise<void> => {
      harness.server.compact();
      await Promise.resolve();
    };
    lag('configmaps', 3_000);
    await world();
    await harness.clock.advance(minute);
    await happen([0, blue], [300, image], [1_000, forget]);
    await harness.clock.advance(2 * minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it.each<[string, Fault]>([
    ['is refused', { kind: 'status', code: 403 }],
    ['fails', { kind: 'status', code: 500 }],
    ['is cut off', { kind: 'reset', when: 'before' }],
    ['takes too long', { kind: 'delay', delayMs: 20_000 }],
  ])('if the read of the Deployment %s', async (_, spoilt) => {
    await world();
    fault('GET', /\/default\/deployments$/, spoilt);
    await happen([0, blue], [300, image]);
    await harness.clock.advance(30_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if the second read fails', async () => {
    await world();
    let isLater = false;
    fault('GET', /\/deployments\/web$/, { kind: 'status', code: 500 }, () => isLater);
    await happen([0, blue], [300, image]);
    isLater = true;
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('after ten minutes, if the rollout does not end', async () => {
    await world();
    await blue();
    await harness.clock.advance(300);
    controllers.stop();
    await image();
    await harness.clock.advance(9 * minute);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await harness.clock.advance(2 * minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('if more than twenty workloads use the source, and none of them is read', async () => {
    for (let index = 0; index < 20; index++) harness.seed(deployment({ ...web, name: `other-${index}` }));
    await world({ stages: withoutStages });
    await happen([0, blue], [300, image]);
    await harness.clock.advance(800);
    expect(reads()).toBe(0);
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('but not if twenty workloads use the source, and only the written one is read', async () => {
    for (let index = 0; index < 19; index++) harness.seed(deployment({ ...web, name: `other-${index}` }));
    await world({ stages: withoutStages });
    await happen([0, blue], [300, image]);
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    expect(reads()).toBe(3);
  });

  it('if the workload has no replicas, and nothing is read', async () => {
    await world({}, deployment({ ...web, replicas: 0 }));
    await happen([0, blue], [300, image]);
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(reads()).toBe(0);
  });

  it('with --fold-rollouts=false, and nothing is read', async () => {
    await world({ foldRollouts: false });
    await happen([0, blue], [300, image]);
    await harness.clock.advance(minute);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(reads()).toBe(0);
  });
});
