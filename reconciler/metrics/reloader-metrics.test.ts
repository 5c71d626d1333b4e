import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics';

/** What Reloader's dashboards and alerts query, row by row (§13). */

const none: readonly number[] = [];
const runs = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const actions = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const queue = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const requests = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

const rows: readonly (readonly [name: string, type: string, labels: readonly string[], buckets: readonly number[]])[] =
  [
    ['reloader_reload_executed_total', 'counter', ['success'], none],
    ['reloader_reload_executed_total_by_namespace', 'counter', ['success', 'namespace'], none],
    ['reloader_reconcile_total', 'counter', ['result'], none],
    ['reloader_reconcile_duration_seconds', 'histogram', ['result'], runs],
    ['reloader_action_total', 'counter', ['workload_kind', 'result'], none],
    ['reloader_action_latency_seconds', 'histogram', ['workload_kind'], actions],
    ['reloader_skipped_total', 'counter', ['reason'], none],
    ['reloader_workqueue_depth', 'gauge', [], none],
    ['reloader_workqueue_adds_total', 'counter', [], none],
    ['reloader_workqueue_latency_seconds', 'histogram', [], queue],
    ['reloader_errors_total', 'counter', ['type'], none],
    ['reloader_retries_total', 'counter', [], none],
    ['reloader_events_received_total', 'counter', ['event_type', 'resource_type'], none],
    ['reloader_events_processed_total', 'counter', ['event_type', 'resource_type', 'result'], none],
    ['reloader_workloads_scanned_total', 'counter', ['kind'], none],
    ['reloader_workloads_matched_total', 'counter', ['kind'], none],
    ['rest_client_requests_total', 'counter', ['code', 'method', 'host'], none],
    ['rest_client_request_duration_seconds', 'histogram', ['verb', 'host'], requests],
  ];

/** Label values that queries name. */
const values: readonly (readonly [name: string, label: string, values: readonly string[]])[] = [
  ['reloader_reload_executed_total', 'success', ['true', 'false']],
  ['reloader_reconcile_total', 'result', ['success', 'error', 'skipped']],
  ['reloader_action_total', 'result', ['success', 'error']],
  ['reloader_action_total', 'workload_kind', ['Deployment', 'CronJob', 'Job', 'DaemonSet', 'StatefulSet', 'Rollout']],
  ['reloader_skipped_total', 'reason', ['ignored_or_not_selected', 'no_data_change', 'strategy_not_updated']],
  ['reloader_errors_total', 'type', ['handler_error']],
  ['reloader_events_received_total', 'event_type', ['add', 'update', 'delete']],
  ['reloader_events_received_total', 'resource_type', ['configmaps', 'secrets']],
  ['reloader_events_processed_total', 'result', ['success', 'dropped']],
];

async function exposition(): Promise<string> {
  const metrics = new Metrics({ countByNamespace: true });
  metrics.reloadExecutedTotalByNamespace?.inc({ success: 'true', namespace: 'shop' });
  metrics.restClientRequestsTotal.inc({ code: '200', method: 'GET', host: 'api' });
  metrics.restClientRequestDurationSeconds.observe({ verb: 'GET', host: 'api' }, 0.1);
  return await metrics.registry.text();
}

describe("Reloader's metrics", () => {
  it.each(rows)('§13 %s is a %s by %j', async (name, type, labels, buckets) => {
    const text = await exposition();
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    const series = new RegExp(`^${name}(_bucket)?[{ ]`);
    const lines = text.split('\n').filter((line) => series.test(line));
    expect(lines.length).toBeGreaterThan(0);
    const labelsOf = (line: string) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label!);
    const found = new Set(lines.flatMap(labelsOf));
    found.delete('le');
    expect([...found].toSorted()).toEqual(labels.toSorted());
    const bounds = new Set(lines.flatMap((line) => /le="([\d.]+)"/.exec(line)?.[1] ?? []));
    expect([...bounds].map(Number)).toEqual(buckets);
  });

  it.each(values)('§13 %s begins with a series for each %s', async (name, label, expected) => {
    const lines = (await exposition()).split('\n').filter((line) => line.startsWith(`${name}{`));
    for (const value of expected) expect(lines.some((line) => line.includes(`${label}="${value}"`))).toBe(true);
  });

  it('§13 are all here that have their prefix, beside two that other modules around it have', async () => {
    const names = [...(await exposition()).matchAll(/^# TYPE (reloader_\w+) /gm)].map(([, name]) => name!);
    const others = ['reloader_reload_errors_total', 'reloader_watched_resources_total'];
    const known = rows.map(([name]) => name).filter((name) => name.startsWith('reloader_'));
    expect(names.toSorted()).toEqual([...known, ...others].toSorted());
  });
});
