import { describe, expect, it } from '@jest/globals';
import { deleteObject } from '../../shared/kube/client/objects';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { rolloutKind, rolloutOf } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import type { ObjectInput } from '../apiserver/objects';
import { Harness, type Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const db = secret({ name: 'db', data: { pw: 'a' } });
const uses = { envFrom: [fromConfigMap('app'), fromSecret('db')], replicas: 0 };
const minuteMs = 60_000;

function world(): Harness {
  return new Harness({ customKinds: [rolloutKind] });
}

async function change(harness: Harness, color = 'blue'): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color });
  await harness.clock.advance(minuteMs);
}

/** How often the engine changed the Deployment's template, the Rollout's `restartAt` and the Rollout's own template. */
function outcome(harness: Harness, name = 'web-ro') {
  const of = (path: readonly string[]): number =>
    harness.writesOf('Rollout', name).filter(({ user, object, previous }) => {
      const [before, after] = [previous, object].map((state) => JSON.stringify(fieldAt(state, path)));
      return user === 'reroll' && before !== after;
    }).length;
  return {
    deployment: harness.restarts('Deployment', 'web'),
    restartAt: of(['spec', 'restartAt']),
    rolloutTemplate: of(['spec', 'template']),
  };
}

function writesOfEngine(harness: Harness, kind: 'Deployment' | 'Rollout', name: string): number {
  return harness.writesOf(kind, name).filter(({ user }) => user === 'reroll').length;
}

const none = { deployment: 0, restartAt: 0, rolloutTemplate: 0 };
const byDeployment = { ...none, deployment: 1 };
const byRestartAt = { ...none, restartAt: 1 };

describe('§6.3 Q14 Rollouts with workloadRef: one change causes one restart, where it takes effect', () => {
  it.each([
    ['the Rollout opts in, rollout-strategy rollout: the Deployment is changed', auto, {}, byDeployment],
    ['the Rollout opts in, rollout-strategy restart: restartAt is set', inPlace, {}, byRestartAt],
    ['the Deployment opts in: the Deployment is changed', {}, auto, byDeployment],
    ['both opt in, rollout-strategy rollout: the Deployment is changed', auto, auto, byDeployment],
    ['both opt in, rollout-strategy restart: the Deployment is changed', inPlace, auto, byDeployment],
    [
      'the Rollout lists a source that the template does not use: the Deployment is changed',
      { 'configmap.reloader.stakater.com/reload': 'app' },
      {},
      byDeployment,
    ],
    [
      'the Rollout opts in for Secrets alone: nothing is changed',
      { 'secret.reloader.stakater.com/auto': 'true' },
      {},
      none,
    ],
    [
      'the Rollout excludes the source: nothing is changed',
      { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' },
      {},
      none,
    ],
    ['neither opts in: nothing is changed', {}, {}, none],
  ] as const)('%s', async (_, onRollout, onDeployment, expected) => {
    const harness = world();
    harness.seed(
      app,
      db,
      deployment({ name: 'web', annotations: onDeployment, ...uses }),
      rolloutOf('web-ro', onRollout),
    );
    await harness.start();
    await harness.clock.advance(10_000);
    expect(outcome(harness)).toEqual(none);
    await change(harness);
    expect(outcome(harness)).toEqual(expected);
  });

  it.each([
    [{}, {}, byDeployment],
    [{ 'reloader.stakater.com/rollout-strategy': 'restart' }, {}, byRestartAt],
    [{}, { 'reloader.stakater.com/auto': 'false' }, none],
    [{ 'reloader.stakater.com/auto': 'false' }, {}, byDeployment],
  ])(
    '--auto-reload-all with %j on the Rollout and %j on the Deployment: %j',
    async (onRollout, onDeployment, expected) => {
      const harness = world();
      harness.seed(
        app,
        db,
        deployment({ name: 'web', annotations: onDeployment, ...uses }),
        rolloutOf('web-ro', onRollout),
      );
      await harness.start({ policy: { autoReloadAll: true, ignoredWorkloadKinds: [] } });
      await change(harness);
      expect(outcome(harness)).toEqual(expected);
    },
  );

  it('a release of both is followed by a restart, because the Deployment does not count the pods that Argo rolls out', async () => {
    const harness = world();
    new Controllers(harness.server).start();
    harness.seed(app, db, deployment({ name: 'web', ...uses, replicas: 1 }), rolloutOf('web-ro', auto));
    await harness.clock.advance(minuteMs);
    await harness.start();
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(300);
    const containers = [{ name: 'app', image: 'app:2' }];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers } } } });
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(byDeployment);
    expect(harness.requestsSinceLast()).not.toContain('get deployments.apps');
  });

  it('the settings of the Rollout apply to its Deployment', async () => {
    const harness = world();
    const annotations = { ...auto, 'reroll.dev/strategy': 'restarted-at' };
    harness.seed(app, db, deployment({ name: 'web', ...uses }), rolloutOf('web-ro', annotations));
    await harness.start();
    await change(harness);
    const { template } = (await harness.get('Deployment', 'web'))['spec'] as { template: object };
    expect(fieldAt(template, ['metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'])).toBeDefined();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a hold', { 'reroll.dev/hold': 'true' }],
    ['windows', { 'reroll.dev/windows': '0 0 1 6 * +1h' }],
    ['restart: next-rollout', { 'reroll.dev/restart': 'next-rollout' }],
    ['a minimum interval', { 'reroll.dev/min-interval': '24h' }],
    ['a list of keys', { 'reroll.dev/keys': 'size' }],
  ])('%s on either of the two keeps whichever is restarted from restarting', async (_, gate) => {
    const places: readonly [typeof gate, typeof gate][] = [
      [{ ...auto, ...gate }, {}],
      [{ ...auto, ...gate }, auto],
      [auto, gate],
      [{ ...inPlace, ...gate }, {}],
      [inPlace, gate],
    ];
    for (const [onRollout, onDeployment] of places) {
      const harness = world();
      const web = deployment({ name: 'web', annotations: onDeployment, ...uses });
      harness.seed(app, db, web, rolloutOf('web-ro', onRollout));
      await harness.start();
      await harness.clock.advance(10_000);
      // The first restart begins a minimum interval.
      const first = gate['reroll.dev/min-interval'] === undefined ? 0 : 1;
      for (const color of ['blue', 'pink']) await change(harness, color);
      const { deployment: ofTemplate, restartAt } = outcome(harness);
      expect([onRollout, onDeployment, ofTemplate + restartAt]).toEqual([onRollout, onDeployment, first]);
    }
  });

  it('what the Rollout says of when it may restart comes before what the Deployment says', async () => {
    const harness = world();
    const hold = (value: string) => ({ ...auto, 'reroll.dev/hold': value });
    const [held, free] = [hold('true'), hold('false')];
    harness.seed(app, db, deployment({ name: 'web', annotations: held, ...uses }), rolloutOf('web-ro', free));
    await harness.start();
    await change(harness);
    expect(outcome(harness)).toEqual(byDeployment);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: held } });
    await harness.patch('Deployment', 'web', { metadata: { annotations: free } });
    await harness.clock.advance(10_000);
    await change(harness, 'pink');
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it('a hold on the Rollout holds from the start, although the Deployment opts in itself', async () => {
    const harness = world();
    const annotations = { ...auto, 'reroll.dev/hold': 'true' };
    harness.seed(app, db, deployment({ name: 'web', annotations: auto, ...uses }), rolloutOf('web-ro', annotations));
    const engine = await harness.start();
    await harness.clock.advance(10_000);
    engine.kill();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    await harness.start();
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(none);
  });

  it.each([
    [auto, byDeployment],
    [inPlace, byRestartAt],
  ])('finds a change that was made while Reroll was down: %j', async (annotations, expected) => {
    const harness = world();
    harness.seed(app, db, deployment({ name: 'web', ...uses }), rolloutOf('web-ro', annotations));
    const engine = await harness.start();
    await harness.clock.advance(10_000);
    engine.kill();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    await harness.start();
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(expected);
  });

  it.each([
    [auto, byDeployment],
    [inPlace, byRestartAt],
  ])(
    'a Rollout is restarted if it was created, and then its source changed, while Reroll was down: %j',
    async (annotations, expected) => {
      const harness = world();
      harness.seed(app, db, deployment({ name: 'web', ...uses }));
      const engine = await harness.start();
      await harness.clock.advance(10 * minuteMs);
      engine.kill();
      await harness.clock.advance(10 * minuteMs);
      harness.seed(rolloutOf('web-ro', annotations));
      await harness.clock.advance(minuteMs);
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(minuteMs);
      await harness.start();
      await harness.clock.advance(minuteMs);
      expect(outcome(harness)).toEqual(expected);
    },
  );

  it.each([auto, inPlace])(
    'a change before the creation of the Deployment restarts nothing, because no pod is older: %j',
    async (annotations) => {
      const harness = world();
      harness.seed(app, db);
      const engine = await harness.start();
      await harness.clock.advance(10 * minuteMs);
      engine.kill();
      await harness.clock.advance(10 * minuteMs);
      harness.seed(rolloutOf('web-ro', annotations));
      await harness.clock.advance(minuteMs);
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(minuteMs);
      harness.seed(deployment({ name: 'web', ...uses }));
      await harness.clock.advance(minuteMs);
      await harness.start();
      await harness.clock.advance(minuteMs);
      expect(outcome(harness)).toEqual(none);
    },
  );

  it('first install: restarts nothing for sources that were edited long ago', async () => {
    for (const annotations of [auto, inPlace]) {
      const harness = world();
      harness.seed(app, db, deployment({ name: 'web', ...uses }), rolloutOf('web-ro', annotations));
      await harness.clock.advance(minuteMs);
      await harness.edit('ConfigMap', 'app', { color: 'pink' });
      await harness.clock.advance(60 * minuteMs);
      await harness.start();
      await harness.clock.advance(minuteMs);
      expect(outcome(harness)).toEqual(none);
      await change(harness);
      expect(outcome(harness)).not.toEqual(none);
    }
  });

  it('the baseline is written to the object that is restarted, and to no other', async () => {
    for (const [annotations, written] of [
      [auto, [1, 0]],
      [inPlace, [0, 1]],
    ] as const) {
      const harness = world();
      harness.seed(app, db, deployment({ name: 'web', ...uses }), rolloutOf('web-ro', annotations));
      await harness.start();
      await harness.clock.advance(minuteMs);
      expect([writesOfEngine(harness, 'Deployment', 'web'), writesOfEngine(harness, 'Rollout', 'web-ro')]).toEqual(
        written,
      );
    }
  });
});

describe('a workloadRef that changes while the engine runs', () => {
  async function started(...objects: readonly ObjectInput[]): Promise<{ harness: Harness; engine: Engine }> {
    const harness = world();
    harness.seed(app, db, ...objects);
    const engine = await harness.start();
    await harness.clock.advance(minuteMs);
    return { harness, engine };
  }
  const web = deployment({ name: 'web', ...uses });

  it('takes effect if the Rollout is created later', async () => {
    const { harness } = await started(web);
    harness.seed(rolloutOf('web-ro', auto));
    await harness.clock.advance(10_000);
    await change(harness);
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it.each([
    [auto, byDeployment],
    [inPlace, byRestartAt],
  ])('takes effect if the Deployment is created after its Rollout: %j', async (annotations, expected) => {
    const { harness } = await started(rolloutOf('web-ro', annotations));
    harness.seed(web);
    await harness.clock.advance(10_000);
    await change(harness);
    expect(outcome(harness)).toEqual(expected);
  });

  it('takes effect when the Rollout opts in later, and ends when it opts out', async () => {
    const { harness } = await started(web, rolloutOf('web-ro', {}));
    await change(harness, 'pink');
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: auto } });
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(none);
    await change(harness);
    expect(outcome(harness)).toEqual(byDeployment);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    await harness.clock.advance(10_000);
    await change(harness, 'black');
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it.each([
    [auto, byDeployment],
    [inPlace, byRestartAt],
  ])('what a hold on the Rollout kept waiting restarts once when the hold ends: %j', async (annotations, expected) => {
    const { harness } = await started(web, rolloutOf('web-ro', annotations));
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: { 'reroll.dev/hold': 'true' } } });
    await harness.clock.advance(10_000);
    for (const color of ['pink', 'blue']) await change(harness, color);
    expect(outcome(harness)).toEqual(none);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: { 'reroll.dev/hold': null } } });
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(expected);
  });

  it('misses no change right after the opt-in, although the Deployment is yet to be read', async () => {
    const { harness } = await started(web, rolloutOf('web-ro', {}));
    harness.faults.add({
      match: ({ method, pathname }) => method === 'GET' && pathname.endsWith('/deployments/web'),
      times: 3,
      fault: { kind: 'status', code: 503 },
    });
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: auto } });
    await harness.clock.advance(2_000);
    await change(harness);
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it('is not restarted past a hold on the Rollout while the Deployment that asks itself is yet to be read', async () => {
    const { harness } = await started(deployment({ name: 'web', annotations: auto, ...uses }));
    harness.faults.add({
      match: ({ method, pathname }) => method === 'GET' && pathname.endsWith('/deployments/web'),
      times: 20,
      fault: { kind: 'status', code: 503 },
    });
    harness.seed(rolloutOf('web-ro', { ...auto, 'reroll.dev/hold': 'true' }));
    await harness.clock.advance(2_000);
    await change(harness);
    expect(outcome(harness)).toEqual(none);
    await harness.clock.advance(60 * minuteMs);
    expect(outcome(harness)).toEqual(none);
    await harness.patch('Rollout', 'web-ro', { metadata: { annotations: { 'reroll.dev/hold': null } } });
    await harness.clock.advance(minuteMs);
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it('ends when the Rollout is deleted: only the annotations of the Deployment count', async () => {
    const { harness } = await started(web, rolloutOf('web-ro', auto));
    await harness.delete('Rollout', 'web-ro');
    await harness.clock.advance(10_000);
    await change(harness);
    expect(outcome(harness)).toEqual(none);
  });

  it('ends when the API of Rollouts disappears: only the annotations of the Deployment count', async () => {
    const { harness } = await started(
      deployment({ name: 'web', annotations: auto, ...uses }),
      rolloutOf('web-ro', inPlace),
    );
    harness.server.stopServing(rolloutKind);
    await harness.clock.advance(2 * minuteMs);
    await change(harness);
    expect(outcome(harness)).toEqual(byDeployment);
  });

  it('takes effect on the new Deployment if the Rollout refers to another one', async () => {
    const other = deployment({ name: 'other', envFrom: [fromSecret('db')], replicas: 0 });
    const { harness } = await started(web, other, rolloutOf('web-ro', auto));
    await harness.patch('Rollout', 'web-ro', { spec: { workloadRef: { name: 'other' } } });
    await harness.clock.advance(10_000);
    await change(harness);
    expect(outcome(harness)).toEqual(none);
    await harness.edit('Secret', 'db', { pw: 'b' });
    await harness.clock.advance(minuteMs);
    expect(harness.restarts('Deployment', 'other')).toBe(1);
  });

  it.each([
    [auto, byDeployment],
    [inPlace, byRestartAt],
  ])(
    'restarts nothing when the template starts to use a source, and once for the next change of it: %j',
    async (annotations, expected) => {
      const { harness } = await started(
        deployment({ name: 'web', envFrom: [fromSecret('db')], replicas: 0 }),
        rolloutOf('web-ro', annotations),
      );
      await change(harness, 'pink');
      await harness.patch('Deployment', 'web', {
        spec: { template: { spec: { containers: [{ name: 'app', envFrom: [fromConfigMap('app')] }] } } },
      });
      await harness.clock.advance(minuteMs);
      expect(outcome(harness)).toEqual(none);
      await change(harness);
      expect(outcome(harness)).toEqual(expected);
    },
  );

  it('takes effect again when the Deployment is recreated', async () => {
    const { harness } = await started(web, rolloutOf('web-ro', inPlace));
    await deleteObject(harness.admin, workloadKind('Deployment').resource, 'default', 'web', {
      propagationPolicy: 'Background',
    });
    await change(harness, 'pink');
    expect(outcome(harness)).toEqual(none);
    harness.seed(web);
    await harness.clock.advance(minuteMs);
    // Its pods belong to the Rollout and still run with the former content.
    expect(outcome(harness).restartAt).toBe(1);
    await change(harness);
    expect(outcome(harness).restartAt).toBe(2);
  });

  it('costs only one read of the Deployment and of its sources when it begins', async () => {
    const { harness } = await started(web);
    harness.requestsSinceLast();
    harness.seed(rolloutOf('web-ro', auto));
    await harness.clock.advance(minuteMs);
    expect(harness.requestsSinceLast()).toEqual([
      ...['get deployments.apps', 'list configmaps', 'list secrets'],
      'patch deployments.apps',
    ]);
    await harness.clock.advance(2 * minuteMs);
    expect(harness.requestsSinceLast()).toEqual([]);
  });
});

describe('a workloadRef to a kind that is not watched', () => {
  it.each(['ReplicaSet', 'PodTemplate'])('such as %s is reported, and nothing is written', async (kind) => {
    const harness = world();
    harness.seed(app, rolloutOf('web-ro', { 'configmap.reloader.stakater.com/reload': 'app' }, { kind, name: 'web' }));
    const engine = await harness.start();
    await change(harness);
    expect(outcome(harness)).toEqual(none);
    expect(
      engine.lines.filter(({ message }) => message.includes('cannot be followed')).map(({ message }) => message),
    ).toEqual([
      `Rollout default/web-ro: annotation reloader.stakater.com/rollout-strategy="rollout" cannot be followed: the template comes from ${kind} web, and only that of a Deployment can; refer to a Deployment, or write restart and list the sources by name`,
    ]);
  });

  it('restarts in place for a source that the Rollout lists', async () => {
    const harness = world();
    const annotations = {
      'configmap.reloader.stakater.com/reload': 'app',
      'reloader.stakater.com/rollout-strategy': 'restart',
    };
    harness.seed(app, rolloutOf('web-ro', annotations, { kind: 'PodTemplate', name: 'web' }));
    await harness.start();
    await change(harness);
    expect(outcome(harness)).toEqual(byRestartAt);
  });
});
