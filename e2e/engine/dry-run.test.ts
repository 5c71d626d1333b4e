import { describe, expect, it } from '@jest/globals';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import { readinessChecks } from '../../reconciler/process/health';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  fromConfigMap,
  job,
  secret,
  fromSecret,
  statefulSet,
} from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { type Engine, engineUser, Harness } from './harness';

const annotations = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations, envFrom: [fromConfigMap('app')] };
const app = configMap({ name: 'app', data: { color: 'red' } });
const dryRun = true;

/** The workloads that the engine says it would restart, in order. */
function told({ lines }: Engine): readonly string[] {
  return lines.flatMap(({ message }) => /^dry run: (.*) would be restarted$/.exec(message)?.[1] ?? []);
}

/** The distinct verbs of the engine's requests. */
function verbs(harness: Harness): readonly string[] {
  const own = harness.server.requests().filter(({ user, resource }) => user === engineUser && resource !== '/apis/');
  return [...new Set(own.map(({ verb }) => verb))].filter((verb) => verb !== 'other').toSorted();
}

/** A cluster in which the engine may only read: any write is refused, and shows in the requests. */
function readOnlyCluster(...objects: readonly ObjectInput[]): Harness {
  const harness = new Harness();
  harness.seed(...objects);
  const everything = { apiGroups: ['*'], resources: ['*'] };
  harness.server.rbac.restrict(engineUser, [{ ...everything, verbs: ['get', 'list', 'watch'] }]);
  return harness;
}

describe('--dry-run', () => {
  it('logs that a CronJob would take the change at its next run', async () => {
    const policy = { ...annotations, 'reroll.dev/cronjob-policy': 'next-run' };
    const harness = readOnlyCluster(app, cronJob({ name: 'report', ...uses, annotations: policy }));
    const engine = await harness.start({ dryRun });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(told(engine)).toEqual([]);
    expect(engine.lines.map(({ message }) => message)).toContain(
      'dry run: CronJob default/report would take the change at its next run',
    );
  });

  it('logs each restart once, whatever the kind, and sends only get, list and watch', async () => {
    const harness = readOnlyCluster(
      app,
      deployment({ name: 'web', ...uses }),
      statefulSet({ name: 'db', ...uses }),
      daemonSet({ name: 'agent', ...uses }),
      cronJob({ name: 'report', ...uses }),
      job({ name: 'migrate', ...uses }),
    );
    const engine = await harness.start({ dryRun });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(told(engine).toSorted()).toEqual([
      'CronJob default/report',
      'DaemonSet default/agent',
      'Deployment default/web',
      'Job default/migrate',
      'StatefulSet default/db',
    ]);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(600_000);
    expect(told(engine)).toHaveLength(10);
    await engine.stop();
    expect(verbs(harness).filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
    expect(harness.server.history().filter(({ user }) => user === engineUser)).toEqual([]);
    const text = await engine.metrics.registry.text();
    expect(text).toContain('reroll_dry_run 1');
    expect(text).toContain('reroll_dry_run_restarts_total{workload_kind="Deployment"} 2');
    expect(text).toContain('reloader_reload_executed_total{success="true"} 0');
    expect(text).toContain('reroll_leader 0');
    expect(engine.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([
      expect.objectContaining({ message: 'dry run: restarts are decided and logged, but nothing is written' }),
    ]);
  });

  it('logs the reason with source and keys, and never a value', async () => {
    const harness = readOnlyCluster(app, deployment({ name: 'web', ...uses }));
    const engine = await harness.start({ dryRun });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(20_000);
    const line = engine.lines.find(({ message }) => message.startsWith('dry run: Deployment'));
    expect(line?.fields).toMatchObject({
      dryRun: true,
      because: ['ConfigMap app: content changed (keys: color)'],
      strategy: 'env-vars',
    });
    expect(JSON.stringify(line)).not.toContain('blue');
  });

  it('is ready, and the probe says that it is a dry run', async () => {
    const harness = readOnlyCluster(app);
    const engine = await harness.start({ dryRun });
    const checks = readinessChecks(engine.reconciler).map(({ check }) => check());
    expect(checks.every(({ ok }) => ok)).toBe(true);
    expect(checks[0]?.message).toBe('in sync; dry run: nothing is written');
  });

  it('beside an acting install, logs each restart of that install once, and nothing else', async () => {
    const harness = new Harness();
    harness.seed(app, secret({ name: 'db', data: { password: 'a' } }));
    harness.seed(
      deployment({ name: 'web', ...uses }),
      deployment({ name: 'api', annotations, envFrom: [fromSecret('db')] }),
    );
    harness.seed(deployment({ name: 'off', envFrom: [fromConfigMap('app')] }));
    const acting = await harness.start({ identity: 'acting' });
    const dry = await harness.start({ dryRun, identity: 'dry' });
    for (const color of ['blue', 'green', 'red']) {
      await harness.edit('ConfigMap', 'app', { color });
      await harness.clock.advance(60_000);
    }
    await harness.edit('Secret', 'db', { password: 'b' });
    await harness.clock.advance(60_000);
    expect(told(dry)).toEqual([...Array<string>(3).fill('Deployment default/web'), 'Deployment default/api']);
    const restarted = acting.lines.filter(({ message }) => /^Deployment \S+ restarted$/.test(message));
    expect(restarted.map(({ message }) => message.replace(/ restarted$/, ''))).toEqual(told(dry));
    expect(dry.lines.filter(({ message }) => message.includes('digest key'))).toEqual([]);
  });

  it('does not log a Job again that the other install recreates', async () => {
    const harness = new Harness();
    harness.seed(app, job({ name: 'migrate', ...uses }));
    await harness.start({ identity: 'acting' });
    const dry = await harness.start({ dryRun, identity: 'dry' });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(120_000);
    expect(harness.writesOf('Job', 'migrate').filter(({ type }) => type === 'ADDED')).toHaveLength(2);
    expect(told(dry)).toEqual(['Job default/migrate']);
  });

  it('starts from the current content, and logs no earlier change, whatever baselines say', async () => {
    const harness = new Harness();
    harness.seed(app, deployment({ name: 'web', ...uses }));
    await (await harness.start()).stop();
    await harness.clock.advance(60_000);
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(5_000);
    const dry = await harness.start({ dryRun });
    await harness.clock.advance(60_000);
    expect(told(dry)).toEqual([]);
    await harness.edit('ConfigMap', 'app', { color: 'green' });
    await harness.clock.advance(60_000);
    expect(told(dry)).toEqual(['Deployment default/web']);
  });

  it('does not resume a Deployment whose pause is over', async () => {
    const pausing = { ...annotations, 'deployment.reloader.stakater.com/pause-period': '1m' };
    const pausedAt = { 'deployment.reloader.stakater.com/paused-at': '2000-01-01T00:00:00Z' };
    const harness = readOnlyCluster(
      app,
      deployment({ name: 'web', ...uses, annotations: { ...pausing, ...pausedAt } }),
    );
    await harness.patch('Deployment', 'web', { spec: { paused: true } });
    const engine = await harness.start({ dryRun });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(600_000);
    expect(told(engine)).toEqual(['Deployment default/web']);
    expect((await harness.get('Deployment', 'web'))['spec']).toMatchObject({ paused: true });
  });

  it('with --webhook-url calls nobody, and logs each call', async () => {
    const harness = readOnlyCluster(app);
    const webhook = new FakePostTransport();
    const engine = await harness.start({ dryRun }, undefined, { webhook });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(webhook.posts).toEqual([]);
    const calls = engine.lines.filter(({ message }) => message === 'dry run: webhook would be called');
    expect(calls).toEqual([expect.objectContaining({ fields: { source: 'ConfigMap default/app', dryRun: true } })]);
    expect(verbs(harness).filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });

  it('sends no alert', async () => {
    const harness = readOnlyCluster(app, deployment({ name: 'web', ...uses }));
    const alerts: unknown[] = [];
    const engine = await harness.start({ dryRun }, undefined, { alerts: { send: (alert) => void alerts.push(alert) } });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    expect(told(engine)).toHaveLength(1);
    expect(alerts).toEqual([]);
  });
});
