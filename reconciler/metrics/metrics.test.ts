import { describe, expect, it } from '@jest/globals';
import { Registry, register } from 'prom-client';
import { Metrics } from './metrics';

async function lines(metrics: Metrics): Promise<readonly string[]> {
  return (await metrics.registry.text()).split('\n');
}

describe('Metrics', () => {
  it.each([
    'reloader_reload_executed_total{success="true"} 0',
    'reloader_reload_executed_total{success="false"} 0',
    'reloader_reconcile_total{result="success"} 0',
    'reloader_reconcile_duration_seconds_bucket{le="0.001",result="skipped"} 0',
    'reloader_action_total{workload_kind="Deployment",result="error"} 0',
    'reloader_action_latency_seconds_count{workload_kind="CronJob"} 0',
    'reloader_skipped_total{reason="no_data_change"} 0',
    'reloader_workqueue_depth 0',
    'reloader_workqueue_adds_total 0',
    'reloader_workqueue_latency_seconds_bucket{le="5"} 0',
    'reloader_errors_total{type="handler_error"} 0',
    'reloader_retries_total 0',
    'reloader_events_received_total{event_type="delete",resource_type="secrets"} 0',
    'reloader_events_processed_total{event_type="add",resource_type="configmaps",result="dropped"} 0',
    'reloader_workloads_scanned_total{kind="StatefulSet"} 0',
    'reloader_workloads_matched_total{kind="Job"} 0',
    'reloader_reload_errors_total 0',
    'reloader_watched_resources_total{resource_type="secrets"} 0',
    'reroll_alerts_total{result="summarised"} 0',
    'reroll_alert_requests_total{result="refused"} 0',
    'reroll_alerts_waiting 0',
    'reroll_notify_calls_total{result="failed"} 0',
    'reroll_leader 0',
    'reroll_decode_failures_total{resource="configmaps"} 0',
    'reroll_sources{kind="Secret"} 0',
    'reroll_source_retained_bytes 0',
    'reroll_workloads{kind="DaemonSet",tracked="false"} 0',
    'reroll_adoptions_total{kind="Deployment"} 0',
    'reroll_waiting_restarts{gate="next-rollout"} 0',
    'reroll_hold_active{until="none"} 0',
    'reroll_conflicts_total 0',
    'reroll_baseline_problems_total 0',
    'reroll_annotation_problems_total 0',
    'reroll_events_dropped_total 0',
    'reroll_build_info{version="0.0.0-test"} 1',
  ])('shows %s from the start', async (line) => {
    expect(await lines(new Metrics({ countByNamespace: false }))).toContain(line);
  });

  it.each([
    'rest_client_requests_total',
    'rest_client_request_duration_seconds',
    'reroll_watch_reconnects_total',
    'reroll_watch_synced',
  ])('knows no series of %s beforehand', async (name) => {
    const text = await lines(new Metrics({ countByNamespace: false }));
    expect(text.some((line) => line.startsWith(`# TYPE ${name} `))).toBe(true);
    expect(text.some((line) => line.startsWith(name))).toBe(false);
  });

  it('counts restarts by namespace only when asked to', async () => {
    const counting = new Metrics({ countByNamespace: true });
    counting.reloadExecutedTotalByNamespace?.inc({ success: 'true', namespace: 'shop' });
    expect(await lines(counting)).toContain(
      'reloader_reload_executed_total_by_namespace{success="true",namespace="shop"} 1',
    );
    expect(await new Metrics({ countByNamespace: false }).registry.text()).not.toContain('by_namespace');
  });

  it('keeps a registry of its own', async () => {
    const one = new Metrics({ countByNamespace: false });
    const other = new Metrics({ countByNamespace: false });
    one.retriesTotal.inc();
    expect(await lines(one)).toContain('reloader_retries_total 1');
    expect(await lines(other)).toContain('reloader_retries_total 0');
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('names units and counters as Prometheus wants them', async () => {
    const text = await new Metrics({ countByNamespace: true }).registry.text();
    // A gauge; other dashboards and modules use this name.
    const misnamed = 'reloader_watched_resources_total';
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      if (name === misnamed) continue;
      expect({ name, type, total: /_total(_by_namespace)?$/.test(name!) }).toEqual({
        name,
        type,
        total: type === 'counter',
      });
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });

  it('adds the metrics of the process when asked to, without the misnamed ones', async () => {
    const metrics = new Metrics({ countByNamespace: false });
    expect(await metrics.registry.text()).not.toMatch(/^(process|nodejs)_/m);
    metrics.registry.collectProcessMetrics();
    const text = await metrics.registry.text();
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
    expect(text).toMatch(/^nodejs_active_resources\{/m);
    expect(text).not.toMatch(/nodejs_active_\w+_total/);
  });

  it('names the content type of the text exposition', () => {
    expect(new Metrics({ countByNamespace: false }).registry.contentType).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
  });
});
