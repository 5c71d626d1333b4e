import { describe, expect, it } from '@jest/globals';
import { configMap, cronJob, deployment, fromConfigMap, secret, seedNamespace } from '../apiserver/cluster';
import { Harness, type Engine } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const uses = { annotations: auto, envFrom: [fromConfigMap('app')] };

async function world(): Promise<{ readonly harness: Harness; readonly engine: Engine }> {
  const harness = new Harness();
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' } }),
    secret({ name: 'db', data: { password: 'a' } }),
    deployment({ name: 'web', ...uses }),
    deployment({ name: 'off', annotations: { ...auto, 'configmaps.exclude.reloader.stakater.com/reload': 'app' } }),
    cronJob({ name: 'report', ...uses }),
  );
  return { harness, engine: await harness.start() };
}

/** The value of one series; NaN if it is missing. */
async function value({ metrics }: Engine, series: string): Promise<number> {
  const line = (await metrics.registry.text()).split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 'not there');
}

/** How much a series grows during `happen` and the 30 s after it. */
async function growth(
  { harness, engine }: Awaited<ReturnType<typeof world>>,
  series: string,
  happen: (harness: Harness) => Promise<void>,
): Promise<number> {
  const before = await value(engine, series);
  await happen(harness);
  await harness.clock.advance(30_000);
  return (await value(engine, series)) - before;
}

const change = async (harness: Harness): Promise<void> => await harness.edit('ConfigMap', 'app', { color: 'blue' });
const sameContent = async (harness: Harness): Promise<void> => await harness.label('ConfigMap', 'app', { a: 'b' });
const outage = async (harness: Harness): Promise<void> => {
  harness.faults.add({
    match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/web'),
    fault: { kind: 'status', code: 503 },
    times: 3,
  });
  await change(harness);
};

describe("§13 Reloader's metrics, when one ConfigMap changes", () => {
  it.each([
    ['reloader_reload_executed_total{success="true"}', 2],
    ['reloader_reload_executed_total{success="false"}', 0],
    ['reloader_reload_errors_total', 0],
    ['reloader_action_total{workload_kind="Deployment",result="success"}', 1],
    ['reloader_action_total{workload_kind="CronJob",result="success"}', 1],
    ['reloader_action_latency_seconds_count{workload_kind="Deployment"}', 1],
    ['reloader_workloads_matched_total{kind="CronJob"}', 1],
    ['reloader_events_received_total{event_type="update",resource_type="configmaps"}', 1],
    ['reloader_events_processed_total{event_type="update",resource_type="configmaps",result="success"}', 1],
    ['reloader_events_processed_total{event_type="update",resource_type="configmaps",result="dropped"}', 0],
    ['reloader_errors_total{type="handler_error"}', 0],
    ['reloader_retries_total', 0],
    ['reloader_workqueue_depth', 0],
  ])('%s grows by %i', async (series, by) => {
    expect(await growth(await world(), series, change)).toBe(by);
  });

  it.each([
    'reloader_reconcile_total{result="success"}',
    'reloader_reconcile_duration_seconds_count{result="success"}',
    'reloader_workloads_scanned_total{kind="Deployment"}',
    'reloader_workqueue_adds_total',
    'reloader_workqueue_latency_seconds_count',
  ])('%s grows', async (series) => {
    expect(await growth(await world(), series, change)).toBeGreaterThan(0);
  });

  it.each([
    ['reloader_reload_executed_total{success="true"}', 2],
    ['reloader_reload_executed_total{success="false"}', 3],
    ['reloader_reload_errors_total', 3],
    ['reloader_action_total{workload_kind="Deployment",result="error"}', 3],
    ['reloader_errors_total{type="handler_error"}', 3],
    ['reloader_retries_total', 3],
    ['reloader_reconcile_total{result="error"}', 3],
  ])('%s grows by %i if the write fails three times', async (series, by) => {
    expect(await growth(await world(), series, outage)).toBe(by);
  });

  it.each([
    ['reloader_events_received_total{event_type="update",resource_type="configmaps"}', 0],
    ['reloader_reload_executed_total{success="true"}', 0],
  ])('%s grows by %i if only a label changes', async (series, by) => {
    expect(await growth(await world(), series, sameContent)).toBe(by);
  });

  it.each([
    ['reloader_watched_resources_total{resource_type="configmaps"}', 1],
    // Secret `db` and the two keys of the install.
    ['reloader_watched_resources_total{resource_type="secrets"}', 3],
    ['reloader_events_received_total{event_type="add",resource_type="configmaps"}', 0],
  ])('%s is %i after the start, because existing objects are no events', async (series, count) => {
    const { engine } = await world();
    expect(await value(engine, series)).toBe(count);
  });
});

describe('reroll_watch_synced', () => {
  const resources = async ({ metrics }: Engine, synced: number): Promise<readonly unknown[]> => {
    const series = await metrics.registry.series('reroll_watch_synced');
    return series.filter(({ value: is }) => is === synced).map(({ labels }) => labels['resource']);
  };

  it('is 0 for every watched resource until its first list, and missing for what a flag excludes', async () => {
    const harness = new Harness();
    const policy = { autoReloadAll: false, ignoredWorkloadKinds: ['Job', 'CronJob'] as const };
    const engine = harness.launch({ policy, ignoredSourceKind: 'ConfigMap' });
    await harness.clock.advance(1);
    const watched = ['secrets', 'deployments', 'statefulsets', 'daemonsets', 'namespaces', 'reroll-hold'];
    expect([...(await resources(engine, 0)), ...(await resources(engine, 1))].toSorted()).toEqual(watched.toSorted());
    await harness.clock.advance(5_000);
    expect(await resources(engine, 0)).toEqual([]);
    expect((await resources(engine, 1)).toSorted()).toEqual(watched.toSorted());
  });
});

it('no metric contains a name that a tenant chose: of a namespace, an object, a key or an annotation', async () => {
  const harness = new Harness();
  const namespace = 'canary-team';
  seedNamespace(harness.server, namespace);
  harness.seed(
    configMap({ namespace, name: 'canary-app', data: { 'canary-key': 'red' } }),
    deployment({
      ...{ namespace, name: 'canary-web', envFrom: [fromConfigMap('canary-app')] },
      annotations: { ...auto, 'reroll.dev/canary': 'canary', 'reroll.dev/settle': 'canary' },
    }),
    deployment({ namespace, name: 'canary-off', annotations: { ...auto, 'reroll.dev/baseline': 'canary' } }),
  );
  const engine = await harness.start();
  harness.faults.add({
    match: ({ method, pathname }) => method === 'PATCH' && pathname.endsWith('/deployments/canary-web'),
    fault: { kind: 'status', code: 403 },
    times: 3,
  });
  await harness.edit('ConfigMap', 'canary-app', { 'canary-key': 'blue' }, namespace);
  await harness.clock.advance(120_000);
  expect(await value(engine, 'reloader_reload_executed_total{success="true"}')).toBe(1);
  expect(await engine.metrics.registry.text()).not.toContain('canary');
});
