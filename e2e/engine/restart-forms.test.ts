import { describe, expect, it } from '@jest/globals';
import { fieldAt, listOf, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { configMap, daemonSet, deployment, fromConfigMap, fromSecret, secret, statefulSet } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };
const app = configMap({ name: 'app', data: { color: 'red' } });
const variable = 'STAKATER_APP_CONFIGMAP';

/** The environment variables of the only container of Deployment `web`. */
async function variables(harness: Harness): Promise<Readonly<Record<string, unknown>>> {
  const [container] = listOf(
    fieldAt(await harness.get('Deployment', 'web'), ['spec', 'template', 'spec', 'containers']),
  );
  const env = listOf(objectOf(container)['env']).map(objectOf);
  return Object.fromEntries(env.map(({ name, value }) => [String(name), value]));
}

async function change(harness: Harness, color: string, name = 'app'): Promise<void> {
  await harness.edit('ConfigMap', name, { color });
  await harness.clock.advance(20_000);
}

describe('a restart for the sources of several containers', () => {
  /** A patch in another order would make the sidecar the container that starts first, and whose logs are shown. */
  it.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)(
    'leaves the containers of a %s in their order',
    async (kind) => {
      const harness = new Harness();
      const image = 'registry.example/app:1';
      const containers = [
        { name: 'main', image, envFrom: [fromSecret('db')] },
        { name: 'metrics', image },
        { name: 'proxy', image, envFrom: [fromConfigMap('app')] },
      ];
      const make = { Deployment: deployment, StatefulSet: statefulSet, DaemonSet: daemonSet }[kind];
      harness.seed(
        app,
        secret({ name: 'db', data: { password: 'a' } }),
        make({ name: 'web', annotations: auto, containers }),
      );
      await harness.start();
      await harness.clock.advance(20_000);
      await harness.edit('Secret', 'db', { password: Buffer.from('b').toString('base64') });
      await change(harness, 'blue');
      expect(harness.restarts(kind, 'web')).toBe(1);
      const stored = listOf(fieldAt(await harness.get(kind, 'web'), ['spec', 'template', 'spec', 'containers'])).map(
        objectOf,
      );
      expect(stored.map(({ name, env }) => [name, listOf(env).map((each) => objectOf(each)['name'])])).toEqual([
        ['main', ['STAKATER_DB_SECRET']],
        ['metrics', []],
        ['proxy', [variable]],
      ]);
    },
  );
});

describe('§5.4 a deletion with --reload-on-delete', () => {
  const optional = { annotations: auto, envFrom: [fromConfigMap('app', true)] };
  const own = [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ];

  it.each([
    ['Q20: even if no variable was written before', 0],
    ['if the variable exists', 1],
  ])('env-vars: restarts %s, and the variable says that the source is gone', async (_what, changes) => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...optional, env: own }));
    await harness.start({ reloadOnDelete: true });
    if (changes > 0) await change(harness, 'blue');
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(changes + 1);
    expect(await variables(harness)).toEqual({ A: '1', B: '2', [variable]: expect.stringMatching(/^-\.[0-9a-f]{8}$/) });
  });

  it('Q21: removes no variable of others, whatever was edited in between', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...optional, env: own }));
    await harness.start({ reloadOnDelete: true });
    await change(harness, 'blue');
    harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith('/deployments'),
      fault: { kind: 'lag', lagMs: 3_000 },
    });
    const env = [
      { name: 'A', $patch: 'delete' },
      { name: 'C', value: '3' },
    ];
    await harness.patch('Deployment', 'web', { spec: { template: { spec: { containers: [{ name: 'app', env }] } } } });
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(60_000);
    expect(await variables(harness)).toEqual({ B: '2', C: '3', [variable]: expect.stringMatching(/^-\./) });
  });

  it('annotations: restarts, and last-reloaded-from says that the source is gone', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...optional }));
    await harness.start({ reloadOnDelete: true, strategy: 'annotations' });
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(20_000);
    const template = harness.template(await harness.get('Deployment', 'web'));
    const marker = fieldAt(template, ['metadata', 'annotations', 'reloader.stakater.com/last-reloaded-from']);
    expect(JSON.parse(String(marker))).toMatchObject({ type: 'CONFIGMAP', name: 'app', hash: '-' });
  });
});

describe('§5 the restart marker', () => {
  it.each(['env-vars', 'annotations', 'restarted-at'] as const)(
    'Q18: of strategy %s is written once for a change, whatever is retried',
    async (strategy) => {
      const harness = new Harness();
      harness.seed(app, deployment({ name: 'web', ...uses }));
      const first = await harness.start({ strategy });
      harness.faults.add({
        match: ({ method }) => method === 'PATCH',
        times: 1,
        fault: { kind: 'reset', when: 'after' },
      });
      await change(harness, 'blue');
      await first.stop();
      await harness.start({ strategy, reloadOnCreate: true });
      await harness.clock.advance(60_000);
      expect(harness.restarts('Deployment', 'web')).toBe(1);
    },
  );

  it('Q16: that two sources share does not hide a change of either', async () => {
    const harness = new Harness();
    const names = ['my-app', 'my.app'];
    harness.seed(
      ...names.map((name) => configMap({ name, data: { color: 'red' } })),
      deployment({ name: 'web', annotations: auto, envFrom: names.map((name) => fromConfigMap(name)) }),
    );
    await harness.start();
    for (const [index, name] of names.entries()) {
      await change(harness, 'blue', name);
      expect(harness.restarts('Deployment', 'web')).toBe(index + 1);
    }
    expect(Object.keys(await variables(harness))).toEqual(['STAKATER_MY_APP_CONFIGMAP']);
  });

  it('Q19: stays when the workload opts out, and nothing else is written', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...uses }));
    await harness.start();
    await change(harness, 'blue');
    await harness.patch('Deployment', 'web', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } });
    const before = harness.writesOf('Deployment', 'web').length;
    await change(harness, 'green');
    expect(harness.writesOf('Deployment', 'web')).toHaveLength(before);
    expect(await variables(harness)).toHaveProperty(variable);
  });
});

describe('§6 workloads are restarted even if their controller does not roll them out at once', () => {
  const onDelete = { updateStrategy: { type: 'OnDelete' } };

  it.each<[string, WorkloadKindName, ObjectInput]>([
    ['a paused Deployment', 'Deployment', deployment({ name: 'web', ...uses, spec: { paused: true } })],
    ['a Deployment without replicas', 'Deployment', deployment({ name: 'web', ...uses, replicas: 0 })],
    ['a StatefulSet with OnDelete', 'StatefulSet', statefulSet({ name: 'web', ...uses, spec: onDelete })],
    ['a DaemonSet with OnDelete', 'DaemonSet', daemonSet({ name: 'web', ...uses, spec: onDelete })],
  ])('%s', async (_what, kind, object) => {
    const harness = new Harness();
    harness.seed(app, object);
    await harness.start();
    await change(harness, 'blue');
    expect(harness.restarts(kind, 'web')).toBe(1);
  });
});

describe('§2.3 candidates', () => {
  it('are only the workloads in the namespace of the source', async () => {
    const harness = new Harness();
    const named = { 'configmap.reloader.stakater.com/reload': 'app' };
    harness.seed(
      app,
      configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }),
      deployment({ name: 'web', ...uses }),
      deployment({ name: 'named', annotations: named }),
      deployment({ name: 'web', namespace: 'shop', ...uses }),
      deployment({ name: 'named', namespace: 'shop', annotations: named }),
    );
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' }, 'shop');
    await harness.clock.advance(20_000);
    const restarted = ['default', 'shop'].flatMap((namespace) =>
      ['web', 'named'].map((name) => harness.restarts('Deployment', name, namespace)),
    );
    expect(restarted).toEqual([0, 0, 1, 1]);
  });
});

describe('the marker that Reloader left on a workload', () => {
  const left = {
    env: [
      { name: variable, value: 'b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db' },
      { name: 'OWN', value: 'x' },
    ],
    podAnnotations: { 'reloader.stakater.com/last-reloaded-from': '{"type":"CONFIGMAP","name":"app"}' },
  };

  it('restarts nothing when Reroll takes over, and is replaced at the next change, not doubled', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...uses, ...left }));
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Deployment', 'web')).toBe(0);
    await change(harness, 'blue');
    expect(harness.restarts('Deployment', 'web')).toBe(1);
    expect(await variables(harness)).toEqual({
      [variable]: expect.stringMatching(/^[\w-]{22}\.[0-9a-f]{8}$/),
      OWN: 'x',
    });
    expect(harness.writesOf('Deployment', 'web').at(-1)).toMatchObject({ manager: 'reroll', verb: 'patch' });
  });
});
