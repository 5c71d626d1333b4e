import { describe, expect, it } from '@jest/globals';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { rollout, rolloutKind } from '../apiserver/add-ons';
import { configMap, fromConfigMap, fromSecret, secret } from '../apiserver/cluster';
import { Harness } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const inPlace = { ...auto, 'reloader.stakater.com/rollout-strategy': 'restart' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { envFrom: [fromConfigMap('app')] };

function world(annotations: Readonly<Record<string, string>> = auto): Harness {
  const harness = new Harness({ customKinds: [rolloutKind] });
  harness.seed(app, rollout({ name: 'web', annotations, ...uses }));
  return harness;
}

/** The values of `spec.restartAt` in the engine's writes that changed it, in order. */
function restartTimes(harness: Harness): readonly unknown[] {
  const at = (object: unknown): unknown => fieldAt(object, ['spec', 'restartAt']);
  return harness
    .writesOf('Rollout', 'web')
    .filter(({ user, object, previous }) => user === 'reroll' && at(object) !== at(previous))
    .map(({ object }) => at(object));
}

describe('§6.3 Argo Rollout, rollout-strategy rollout', () => {
  it.each([auto, { ...auto, 'reloader.stakater.com/rollout-strategy': 'rollout' }])(
    'changes the template once for a change: %j',
    async (annotations) => {
      const harness = world(annotations);
      await harness.start();
      await harness.edit('ConfigMap', 'app', { color: 'blue' });
      await harness.clock.advance(60_000);
      expect(harness.restarts('Rollout', 'web')).toBe(1);
      expect(restartTimes(harness)).toEqual([]);
    },
  );

  it.each([
    ['env-vars', ['spec', 'containers']],
    ['annotations', ['metadata', 'annotations', 'reloader.stakater.com/last-reloaded-from']],
    ['restarted-at', ['metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt']],
  ] as const)('writes the marker of strategy %s', async (strategy, path) => {
    const harness = world();
    await harness.start({ strategy });
    const before = fieldAt(harness.template(await harness.get('Rollout', 'web')), path);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(fieldAt(harness.template(await harness.get('Rollout', 'web')), path)).not.toEqual(before);
  });

  it('Q25: keeps unknown fields, beside and within the containers', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    const known = { image: 'registry.example/app:1', name: 'app', ...uses };
    const containers = [
      { ...known, futureField: { deep: [1, 2] } },
      { name: 'side', image: 'side:1' },
    ];
    harness.seed(app, rollout({ name: 'web', annotations: auto, containers, spec: { futureSpec: 'kept' } }));
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    const after = await harness.get('Rollout', 'web');
    expect(after['spec']).toMatchObject({ futureSpec: 'kept', template: { spec: { containers } } });
    expect(harness.restarts('Rollout', 'web')).toBe(1);
  });

  it('costs one read, one PATCH and one Event, however many sources changed', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    const both = { envFrom: [fromConfigMap('app'), fromSecret('db')] };
    harness.seed(app, secret({ name: 'db', data: { pw: 'a' } }), rollout({ name: 'web', annotations: auto, ...both }));
    await harness.start();
    harness.requestsSinceLast();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.edit('Secret', 'db', { pw: 'b' });
    await harness.clock.advance(20_000);
    expect(harness.requestsSinceLast()).toEqual([
      'get rollouts.argoproj.io',
      'patch rollouts.argoproj.io',
      'create events',
    ]);
  });

  it('finds a change that was made while Reroll was down', async () => {
    const harness = world();
    const engine = await harness.start();
    engine.kill();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    await harness.start();
    await harness.clock.advance(60_000);
    expect(harness.restarts('Rollout', 'web')).toBe(1);
  });

  it('does not overwrite what somebody else wrote between its read and its PATCH', async () => {
    const harness = world();
    await harness.start();
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.includes('/rollouts/'),
      times: 1,
      fault: { kind: 'delay', delayMs: 3_000 },
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(2_000);
    await harness.patch('Rollout', 'web', {
      spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2', ...uses }] } } },
    });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Rollout', 'web')).toBe(1);
    const containers = fieldAt(await harness.get('Rollout', 'web'), ['spec', 'template', 'spec', 'containers']);
    expect(containers).toMatchObject([{ image: 'app:2', env: [{ name: 'STAKATER_APP_CONFIGMAP' }] }]);
  });
});

describe('§6.3 Argo Rollout, rollout-strategy restart', () => {
  it('sets restartAt to the next full second, in UTC, and leaves the template unchanged', async () => {
    const harness = world(inPlace);
    await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Rollout', 'web')).toBe(0);
    const [at, ...more] = restartTimes(harness);
    expect(more).toEqual([]);
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const { atMs } = harness.writesOf('Rollout', 'web').at(-1)!;
    expect(Date.parse(at as string)).toBe((Math.floor(atMs / 1000) + 1) * 1000);
  });

  it('Q25: sets restartAt once per change, even for a change while Reroll was down, and not again for a retry', async () => {
    const harness = world(inPlace);
    const engine = await harness.start();
    engine.kill();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    harness.faults.add({
      match: ({ method, pathname }) => method === 'PATCH' && pathname.includes('/rollouts/'),
      times: 1,
      fault: { kind: 'reset', when: 'after' },
    });
    await harness.start();
    await harness.clock.advance(120_000);
    expect(restartTimes(harness)).toHaveLength(1);
  });

  it("sets restartAt later than Argo's last restart, whatever the clock says", async () => {
    const harness = world(inPlace);
    await harness.start();
    const doneAt = new Date(harness.clock.nowMs() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');
    await harness.admin.request({
      method: 'PATCH',
      path: '/apis/argoproj.io/v1alpha1/namespaces/default/rollouts/web/status',
      body: { status: { restartedAt: doneAt } },
      contentType: 'application/merge-patch+json',
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(restartTimes(harness).map((at) => Date.parse(at as string))).toEqual([Date.parse(doneAt) + 1000]);
  });

  it('with --reload-on-delete restarts for a deletion, which Reloader ignores', async () => {
    const harness = world(inPlace);
    await harness.start({ reloadOnDelete: true });
    await harness.delete('ConfigMap', 'app');
    await harness.clock.advance(60_000);
    expect(restartTimes(harness)).toHaveLength(1);
  });

  it('warns about a value that is no rollout-strategy, and changes the template', async () => {
    const harness = world({ ...auto, 'reloader.stakater.com/rollout-strategy': 'Restart' });
    const engine = await harness.start();
    expect(engine.lines.map(({ message }) => message)).toContain(
      'Rollout default/web: annotation reloader.stakater.com/rollout-strategy="Restart" is not a choice and counts as "rollout"; use rollout or restart',
    );
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(harness.restarts('Rollout', 'web')).toBe(1);
  });
});
