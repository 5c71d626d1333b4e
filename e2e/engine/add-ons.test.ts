import { describe, expect, it } from '@jest/globals';
import { readinessChecks } from '../../reconciler/process/health';
import { deploymentConfig, deploymentConfigKind, rollout, rolloutKind } from '../apiserver/add-ons';
import { configMap, deployment, fromConfigMap, seedNamespace } from '../apiserver/cluster';
import { Harness } from './harness';
import type { Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = { envFrom: [fromConfigMap('app')] };
const minuteMs = 60_000;
/** Within this time Reroll finds a newly served API (it asks every five minutes) and lists it. */
const askedMs = 7 * minuteMs;
const rollouts = '/apis/argoproj.io/v1alpha1';

/** Counts the engine's requests whose resource, or path if there is none, contains `part`. */
function asked(harness: Harness, part: string): number {
  return harness.server.requests().filter(({ user, resource }) => user === 'reroll' && resource.includes(part)).length;
}

function messages(engine: Engine, part: string): readonly string[] {
  return engine.lines.map(({ message }) => message).filter((message) => message.includes(part));
}

function isReady({ reconciler }: Engine): boolean {
  return readinessChecks(reconciler).every(({ check }) => check().ok);
}

describe('§6 a kind whose API may be missing', () => {
  it('does not delay other kinds while it is not served', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', annotations: auto, ...uses }));
    const engine = await harness.start();
    expect(isReady(engine)).toBe(true);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Deployment', 'web')).toBe(1);
  });

  it('costs one discovery request in five minutes and two log lines, however many namespaces are watched', async () => {
    const harness = new Harness();
    for (const name of ['a', 'b', 'c']) seedNamespace(harness.server, name);
    const engine = await harness.start({ namespaces: ['a', 'b', 'c'] });
    await harness.clock.advance(60 * minuteMs);
    expect(asked(harness, rollouts)).toBeGreaterThan(9);
    expect(asked(harness, rollouts)).toBeLessThanOrEqual(13);
    expect(asked(harness, 'rollouts.argoproj.io')).toBe(0);
    expect(messages(engine, 'is not served')).toEqual([
      'rollouts.argoproj.io is not served; waiting for it',
      'deploymentconfigs.apps.openshift.io is not served; waiting for it',
    ]);
    expect(messages(engine, 'refused')).toEqual([]);
  });

  it('is not taken for served because its API group is served, as argoproj.io is with Argo CD', async () => {
    const harness = new Harness({ customKinds: [{ ...rolloutKind, kind: 'Application', plural: 'applications' }] });
    const engine = await harness.start();
    expect(messages(engine, 'is served')).toEqual([]);
    expect(asked(harness, 'rollouts.argoproj.io')).toBe(0);
  });

  it('is found when its API appears, dropped when it disappears, and found again, without a restart of Reroll', async () => {
    const harness = new Harness();
    harness.seed(app);
    const engine = await harness.start();

    harness.server.serve(rolloutKind);
    harness.seed(rollout({ name: 'web', annotations: auto, ...uses }));
    await harness.clock.advance(askedMs);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    expect(harness.restarts('Rollout', 'web')).toBe(1);
    expect(isReady(engine)).toBe(true);

    harness.server.stopServing(rolloutKind);
    await harness.clock.advance(10 * minuteMs);
    expect(messages(engine, 'no longer served')).toHaveLength(1);
    expect(isReady(engine)).toBe(true);
    expect(engine.reconciler.status.watches.map(({ name }) => name)).not.toContain('rollouts.argoproj.io');
    expect(await engine.metrics.registry.text()).toContain('reroll_workloads{kind="Rollout",tracked="true"} 0');
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(minuteMs);
    expect(harness.server.history().filter(({ kind, user }) => kind === rolloutKind && user === 'reroll')).toHaveLength(
      2,
    );

    harness.server.serve(rolloutKind);
    harness.seed(rollout({ name: 'web', annotations: auto, ...uses }));
    await harness.clock.advance(askedMs);
    const before = harness.restarts('Rollout', 'web');
    await harness.edit('ConfigMap', 'app', { color: 'black' });
    await harness.clock.advance(minuteMs);
    expect(harness.restarts('Rollout', 'web')).toBe(before + 1);
    expect(messages(engine, 'rollouts.argoproj.io')).toEqual([
      'rollouts.argoproj.io is not served; waiting for it',
      'rollouts.argoproj.io is served, watching it',
      'rollouts.argoproj.io is no longer served; its workloads are not restarted until it is served again',
      'rollouts.argoproj.io is served, watching it',
    ]);
  });

  it('is restarted, once its API is back, for a change that was made while it was not served', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(app, rollout({ name: 'web', annotations: auto, ...uses }));
    const engine = await harness.start();
    // The API server answers 404 for a while, as it may for an aggregated API. The objects remain.
    const mend = harness.faults.add({
      match: ({ pathname }) => pathname.startsWith(rollouts),
      fault: { kind: 'status', code: 404 },
    });
    await harness.clock.advance(15 * minuteMs);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    expect(harness.restarts('Rollout', 'web')).toBe(0);
    expect(messages(engine, 'could not be written')).toEqual([]);
    mend();
    await harness.clock.advance(askedMs);
    expect(harness.restarts('Rollout', 'web')).toBe(1);
  });

  it('is asked for again soon if the server fails, with one log line', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(app, rollout({ name: 'web', annotations: auto, ...uses }));
    const mend = harness.faults.add({
      match: ({ pathname }) => pathname === rollouts,
      fault: { kind: 'status', code: 503 },
    });
    const engine = await harness.start();
    await harness.clock.advance(5 * minuteMs);
    expect(isReady(engine)).toBe(true);
    expect(messages(engine, 'cannot find out whether')).toEqual([
      'cannot find out whether rollouts.argoproj.io is served; trying again',
    ]);
    mend();
    await harness.clock.advance(2 * minuteMs);
    expect(messages(engine, 'is served, watching it')).toHaveLength(1);
  });

  it('is named in the readiness detail if it is served and the permission to watch it is missing', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.faults.add({
      match: ({ pathname }) => pathname === `${rollouts}/rollouts`,
      fault: { kind: 'status', code: 403 },
    });
    const engine = await harness.start();
    expect(isReady(engine)).toBe(true);
    const details = readinessChecks(engine.reconciler).map(({ check }) => check().message);
    expect(details.join()).toContain('rollouts.argoproj.io: backing-off');
  });

  it('causes no request after a stop, whether it is served or not', async () => {
    for (const customKinds of [[], [rolloutKind]]) {
      const harness = new Harness({ customKinds });
      const engine = await harness.start();
      await engine.stop();
      const count = harness.server.requests().length;
      await harness.clock.advance(10 * minuteMs);
      expect(harness.server.requests()).toHaveLength(count);
    }
  });

  it('is not asked for if it is an ignored workload kind', async () => {
    const harness = new Harness({ customKinds: [rolloutKind] });
    harness.seed(
      configMap({ name: 'app', data: { color: 'red' } }),
      rollout({ name: 'web', annotations: auto, ...uses }),
    );
    await harness.start({ policy: { autoReloadAll: false, ignoredWorkloadKinds: ['Rollout'] } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    expect(asked(harness, 'argoproj.io')).toBe(0);
    expect(harness.restarts('Rollout', 'web')).toBe(0);
  });
});

describe('§6 OpenShift DeploymentConfig', () => {
  async function changed(spec: Parameters<typeof deploymentConfig>[0]['spec'] = {}) {
    const harness = new Harness({ customKinds: [deploymentConfigKind] });
    harness.seed(app, deploymentConfig({ name: 'web', annotations: auto, ...uses, spec }));
    const engine = await harness.start();
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    return { harness, engine };
  }

  it('is restarted once, by a change of its template', async () => {
    const { harness, engine } = await changed();
    expect(harness.restarts('DeploymentConfig', 'web')).toBe(1);
    expect(await harness.get('DeploymentConfig', 'web')).toMatchObject({
      spec: { template: { spec: { containers: [{ env: [{ name: 'STAKATER_APP_CONFIGMAP' }] }] } } },
    });
    expect(messages(engine, 'DeploymentConfig default/web')).toEqual([
      'DeploymentConfig default/web: baseline recorded; nothing restarted',
      'DeploymentConfig default/web restarted',
    ]);
    expect(harness.objects('Event')).toMatchObject([
      { involvedObject: { apiVersion: 'apps.openshift.io/v1', kind: 'DeploymentConfig' } },
    ]);
  });

  it.each([
    [[], 'to be rolled out by hand'],
    [[{ type: 'ImageChange' }], 'to be rolled out by hand'],
    [[{ type: 'ImageChange' }, { type: 'ConfigChange' }], 'restarted'],
    [null, 'restarted'],
  ])('with triggers %j is logged as: %s', async (triggers, told) => {
    const { engine } = await changed({ triggers });
    expect(messages(engine, 'DeploymentConfig default/web').at(-1)).toContain(told);
  });

  it('is found when its API appears at run time', async () => {
    const harness = new Harness();
    harness.seed(app);
    await harness.start();
    harness.server.serve(deploymentConfigKind);
    harness.seed(deploymentConfig({ name: 'web', annotations: auto, ...uses }));
    await harness.clock.advance(askedMs);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(minuteMs);
    expect(harness.restarts('DeploymentConfig', 'web')).toBe(1);
  });
});
