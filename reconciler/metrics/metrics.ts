import type { Counter } from 'prom-client';
import { gateNames } from '../../shared/domain/gate-settings/gate-names';
import { sourceKinds } from '../../shared/domain/sources/source';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { SpanMetrics } from '../../shared/tracing/span-metrics';
import { ChannelMetrics } from './channel-metrics';

export interface MetricsOptions {
  /** Reloader's METRICS_COUNT_BY_NAMESPACE=enabled: one more series per namespace. */
  readonly countByNamespace: boolean;
}

/** Whether the hold of everything ends by itself. */
export const holdEnds = ['set', 'none'] as const;

const outcomes = ['success', 'error'];
const kinds = workloadKinds.map(({ kind }) => kind);
const sourceResources = ['configmaps', 'secrets'];
/** Without add-ons, because they may not be installed. */
const watchedResources = [
  ...sourceResources,
  ...workloadKinds.filter(({ optional }) => !optional).map(({ resource }) => resource.plural),
];

/**
 * All metrics of the reconciler. `reloader_*` and `rest_client_*` keep the names and labels that Reloader's dashboards
 * and alerts use; Reroll's own are `reroll_*`.
 */
export class Metrics {
  readonly registry = new MetricRegistry();
  readonly channel = new ChannelMetrics(this.registry);
  readonly alerts = new AlertMetrics(this.registry);
  readonly notify = new NotifyMetrics(this.registry);
  readonly spans = new SpanMetrics(this.registry);

  readonly reloadExecutedTotal = this.registry.counter(
    'reloader_reload_executed_total',
    'Restarts written, by outcome.',
    { success: ['true', 'false'] },
  );
  /** This metric and the next are not Reloader's own: other dashboards and modules use them. */
  readonly reloadErrorsTotal = this.registry.counter('reloader_reload_errors_total', 'Restarts that failed.');
  readonly watchedResourcesTotal = this.registry.gauge(
    'reloader_watched_resources_total',
    'Sources that are watched; a gauge, whatever its name says.',
    { resource_type: sourceResources },
  );
  readonly reloadExecutedTotalByNamespace: Counter<'success' | 'namespace'> | undefined;
  readonly reconcileTotal = this.registry.counter(
    'reloader_reconcile_total',
    'Workloads compared with their baseline.',
    { result: [...outcomes, 'skipped'] },
  );
  readonly reconcileDurationSeconds = this.registry.histogram(
    'reloader_reconcile_duration_seconds',
    'Time to compare one workload and to act on it.',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    { result: [...outcomes, 'skipped'] },
  );
  readonly actionTotal = this.registry.counter('reloader_action_total', 'Writes to workloads, by kind and outcome.', {
    workload_kind: kinds,
    result: outcomes,
  });
  readonly actionLatencySeconds = this.registry.histogram(
    'reloader_action_latency_seconds',
    'Time from the change of a source to the write that answers it.',
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    { workload_kind: kinds },
  );
  /** Reroll never counts `strategy_not_updated`. Reloader does, and a query that names it must find a series. */
  readonly skippedTotal = this.registry.counter(
    'reloader_skipped_total',
    'Changes that led to no restart, by reason.',
    { reason: ['ignored_or_not_selected', 'no_data_change', 'strategy_not_updated'] },
  );
  readonly workqueueDepth = this.registry.gauge('reloader_workqueue_depth', 'Workloads that wait to be compared.');
  readonly workqueueAddsTotal = this.registry.counter('reloader_workqueue_adds_total', 'Workloads added to the queue.');
  readonly workqueueLatencySeconds = this.registry.histogram(
    'reloader_workqueue_latency_seconds',
    'Time a workload waited in the queue.',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  readonly errorsTotal = this.registry.counter('reloader_errors_total', 'Failed runs, by type.', {
    type: ['handler_error'],
  });
  readonly retriesTotal = this.registry.counter('reloader_retries_total', 'Workloads put back after a failure.');
  readonly eventsReceivedTotal = this.registry.counter('reloader_events_received_total', 'Changes of sources seen.', {
    event_type: ['add', 'update', 'delete'],
    resource_type: sourceResources,
  });
  /** Reroll drops none. Reloader counts `dropped` after five retries, and an alert on it must find a series. */
  readonly eventsProcessedTotal = this.registry.counter(
    'reloader_events_processed_total',
    'Changes of sources processed.',
    {
      event_type: ['add', 'update', 'delete'],
      resource_type: sourceResources,
      result: ['success', 'dropped'],
    },
  );
  readonly workloadsScannedTotal = this.registry.counter('reloader_workloads_scanned_total', 'Workloads examined.', {
    kind: kinds,
  });
  readonly workloadsMatchedTotal = this.registry.counter(
    'reloader_workloads_matched_total',
    'Workloads that were restarted.',
    { kind: kinds },
  );

  readonly restClientRequestsTotal = this.registry.counter(
    'rest_client_requests_total',
    'Requests to the API server.',
    {
      code: [],
      method: [],
      host: [],
    },
  );
  readonly restClientRequestDurationSeconds = this.registry.histogram(
    'rest_client_request_duration_seconds',
    'Time to the end of a request to the API server.',
    [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    { verb: [], host: [] },
  );

  readonly leader = this.registry.gauge('reroll_leader', '1 while this replica holds the lease and may write.');
  readonly watchReconnectsTotal = this.registry.counter(
    'reroll_watch_reconnects_total',
    'Watches restarted, by reason.',
    { resource: watchedResources, reason: [] },
  );
  readonly watchSynced = this.registry.gauge(
    'reroll_watch_synced',
    '1 once the first complete list of a resource is known.',
    { resource: [] },
  );
  readonly decodeFailuresTotal = this.registry.counter(
    'reroll_decode_failures_total',
    'Objects that could not be read.',
    { resource: watchedResources },
  );
  readonly sources = this.registry.gauge('reroll_sources', 'Sources in the index.', { kind: sourceKinds });
  readonly sourceRetainedBytes = this.registry.gauge(
    'reroll_source_retained_bytes',
    'Content of sources held in memory.',
  );
  readonly workloads = this.registry.gauge(
    'reroll_workloads',
    'Workloads in the index; tracked ones may be restarted.',
    { kind: kinds, tracked: ['true', 'false'] },
  );
  readonly dryRun = this.registry.gauge('reroll_dry_run', '1 with --dry-run: nothing is written.');
  readonly dryRunRestartsTotal = this.registry.counter(
    'reroll_dry_run_restarts_total',
    'Restarts that a dry run decided on but did not write.',
    { workload_kind: kinds },
  );
  readonly adoptionsTotal = this.registry.counter('reroll_adoptions_total', 'Baselines recorded without a restart.', {
    kind: kinds,
  });
  readonly waitingRestarts = this.registry.gauge(
    'reroll_waiting_restarts',
    'Workloads whose restart may not begin yet, by what keeps it.',
    { gate: [...gateNames] },
  );
  readonly rollingWorkloads = this.registry.gauge(
    'reroll_rolling_workloads',
    'Workloads that Reroll has restarted and that have yet to roll out, for ten minutes at most.',
  );
  readonly stoppedSources = this.registry.gauge(
    'reroll_stopped_sources',
    'Sources whose restarts have stopped: a workload that restarted first is not healthy, or a content that was rolled back has been written again.',
  );
  readonly healthChecksTotal = this.registry.counter(
    'reroll_health_checks_total',
    'Health checks of workloads that restarted first, by what came of them.',
    { result: ['passed', 'failed', 'unanswered'] },
  );
  readonly rollbacksTotal = this.registry.counter(
    'reroll_rollbacks_total',
    'Sources whose last content that worked was put back, or was to be, by outcome.',
    { outcome: ['done', 'failed'] },
  );
  readonly holdActive = this.registry.gauge(
    'reroll_hold_active',
    '1 while everything is held, by whether the hold has an end.',
    { until: [...holdEnds] },
  );
  readonly restartOutcomesTotal = this.registry.counter(
    'reroll_restart_outcomes_total',
    'Restarts by how they ended.',
    { outcome: ['healthy', 'unhealthy', 'superseded', 'unknown'] },
  );
  readonly foldedRestartsTotal = this.registry.counter(
    'reroll_folded_restarts_total',
    "Restarts that were not written, because somebody else's rollout followed the change.",
    { workload_kind: kinds },
  );
  readonly conflictsTotal = this.registry.counter(
    'reroll_conflicts_total',
    'Writes refused because the workload was changed meanwhile.',
  );
  readonly baselineProblemsTotal = this.registry.counter(
    'reroll_baseline_problems_total',
    'Baselines that were unreadable.',
  );
  readonly annotationProblemsTotal = this.registry.counter(
    'reroll_annotation_problems_total',
    'Annotations with a problem.',
  );
  readonly journalEntriesRefusedTotal = this.registry.counter(
    'reroll_journal_entries_refused_total',
    'Secrets labelled as entries of the journal of Jobs that do not verify; nothing is created from them.',
  );
  readonly jobsNotCreated = this.registry.gauge(
    'reroll_jobs_not_created',
    'Jobs that were deleted to be recreated, and could not be created yet.',
  );
  readonly eventsDroppedTotal = this.registry.counter('reroll_events_dropped_total', 'Events that were not written.');

  constructor({ countByNamespace }: MetricsOptions) {
    this.registry.registerBuildInfo();
    this.reloadExecutedTotalByNamespace = countByNamespace
      ? this.registry.counter(
          'reloader_reload_executed_total_by_namespace',
          'Restarts written, by outcome and namespace.',
          { success: ['true', 'false'], namespace: [] },
        )
      : undefined;
  }
}

/**
 * The result of an alert: sent by name, counted in an "and N more", or lost because the receiver refused it, could not
 * be reached, or the process ended.
 */
export type AlertResult = 'sent' | 'summarised' | 'refused' | 'unreachable' | 'stopped';
const alertResults = ['sent', 'summarised', 'refused', 'unreachable', 'stopped'] satisfies AlertResult[];

export class AlertMetrics {
  readonly alertsTotal;
  readonly requestsTotal;
  readonly waiting;

  constructor(registry: MetricRegistry) {
    this.alertsTotal = registry.counter('reroll_alerts_total', 'Alerts about restarts, by result.', {
      result: alertResults,
    });
    this.requestsTotal = registry.counter('reroll_alert_requests_total', 'Requests to the receiver of alerts.', {
      result: ['delivered', 'refused', 'failed'],
    });
    this.waiting = registry.gauge('reroll_alerts_waiting', 'Alerts that wait to be sent, or are being sent.');
  }
}

export class NotifyMetrics {
  readonly callsTotal;

  constructor(registry: MetricRegistry) {
    this.callsTotal = registry.counter('reroll_notify_calls_total', 'Calls to --webhook-url.', {
      result: ['delivered', 'refused', 'failed', 'dry_run'],
    });
  }
}
