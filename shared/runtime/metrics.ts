import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { sourceKinds } from '../domain/source';
import { workloadKinds } from '../domain/workload-kinds';
import { version } from './version';

export interface MetricsOptions {
  /** Reloader's METRICS_COUNT_BY_NAMESPACE=enabled: one more series for each namespace. */
  readonly countByNamespace: boolean;
}

/** Every label of a metric with the values known beforehand; an empty list leaves the values to the first use. */
type LabelValues<L extends string> = Readonly<Record<L, readonly string[]>>;

const outcomes = ['success', 'error'];
const kinds = workloadKinds.map(({ kind }) => kind);
const sourceResources = ['configmaps', 'secrets'];
const watchedResources = [...sourceResources, ...workloadKinds.map(({ resource }) => resource.plural)];

/** Named as if they were counters, and told better by `nodejs_active_handles` and its siblings. */
const misnamedProcessMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * All metrics of the reconciler in a registry of their own. `reloader_*` and `rest_client_*` keep the names and labels
 * of Reloader's dashboards and alerts; ours are `reroll_*`. Series whose labels are known start at 0, so that `rate()`
 * sees the first increment. No label holds the name of a source: its cardinality is the cluster's.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #refreshers: (() => void)[] = [];

  readonly reloadExecutedTotal = this.#counter('reloader_reload_executed_total', 'Restarts written, by outcome.', {
    success: ['true', 'false'],
  });
  readonly reloadExecutedTotalByNamespace: Counter<'success' | 'namespace'> | undefined;
  readonly reconcileTotal = this.#counter('reloader_reconcile_total', 'Workloads compared with their baseline.', {
    result: [...outcomes, 'skipped'],
  });
  readonly reconcileDurationSeconds = this.#histogram(
    'reloader_reconcile_duration_seconds',
    'Time to compare one workload and to act on it.',
    { result: [...outcomes, 'skipped'] },
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  );
  readonly actionTotal = this.#counter('reloader_action_total', 'Writes to workloads, by kind and outcome.', {
    workload_kind: kinds,
    result: outcomes,
  });
  readonly actionLatencySeconds = this.#histogram(
    'reloader_action_latency_seconds',
    'Time from the change of a source to the write that answers it.',
    { workload_kind: kinds },
    [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  );
  readonly skippedTotal = this.#counter('reloader_skipped_total', 'Changes that led to no restart, by reason.', {
    reason: ['ignored_or_not_selected', 'no_data_change', 'strategy_not_updated'],
  });
  readonly workqueueDepth = this.#gauge('reloader_workqueue_depth', 'Workloads that wait to be compared.', {});
  readonly workqueueAddsTotal = this.#counter('reloader_workqueue_adds_total', 'Workloads added to the queue.', {});
  readonly workqueueLatencySeconds = this.#histogram(
    'reloader_workqueue_latency_seconds',
    'Time a workload waited in the queue.',
    {},
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  readonly errorsTotal = this.#counter('reloader_errors_total', 'Failed runs, by type.', { type: ['handler_error'] });
  readonly retriesTotal = this.#counter('reloader_retries_total', 'Workloads put back after a failure.', {});
  readonly eventsReceivedTotal = this.#counter('reloader_events_received_total', 'Changes of sources seen.', {
    event_type: ['add', 'update', 'delete'],
    resource_type: sourceResources,
  });
  readonly eventsProcessedTotal = this.#counter('reloader_events_processed_total', 'Changes of sources dealt with.', {
    event_type: ['add', 'update', 'delete'],
    resource_type: sourceResources,
    result: ['success', 'dropped'],
  });
  readonly workloadsScannedTotal = this.#counter('reloader_workloads_scanned_total', 'Workloads examined.', {
    kind: kinds,
  });
  readonly workloadsMatchedTotal = this.#counter('reloader_workloads_matched_total', 'Workloads that were restarted.', {
    kind: kinds,
  });

  readonly restClientRequestsTotal = this.#counter('rest_client_requests_total', 'Requests to the API server.', {
    code: [],
    method: [],
    host: [],
  });
  readonly restClientRequestDurationSeconds = this.#histogram(
    'rest_client_request_duration_seconds',
    'Time to the end of a request to the API server.',
    { verb: [], host: [] },
    [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  );

  readonly leader = this.#gauge('reroll_leader', '1 while this replica holds the lease and may write.', {});
  readonly watchReconnectsTotal = this.#counter('reroll_watch_reconnects_total', 'Watches begun again, by reason.', {
    resource: watchedResources,
    reason: [],
  });
  readonly watchSynced = this.#gauge('reroll_watch_synced', '1 once the first complete list of a resource is known.', {
    resource: watchedResources,
  });
  readonly decodeFailuresTotal = this.#counter('reroll_decode_failures_total', 'Objects that could not be read.', {
    resource: watchedResources,
  });
  readonly sources = this.#gauge('reroll_sources', 'Sources in the index.', { kind: sourceKinds });
  readonly sourceRetainedBytes = this.#gauge('reroll_source_retained_bytes', 'Content of sources held in memory.', {});
  readonly workloads = this.#gauge('reroll_workloads', 'Workloads in the index; tracked ones may be restarted.', {
    kind: kinds,
    tracked: ['true', 'false'],
  });
  readonly adoptionsTotal = this.#counter('reroll_adoptions_total', 'Baselines recorded without a restart.', {
    kind: kinds,
  });
  readonly conflictsTotal = this.#counter(
    'reroll_conflicts_total',
    'Writes refused because the workload moved on.',
    {},
  );
  readonly baselineProblemsTotal = this.#counter(
    'reroll_baseline_problems_total',
    'Baselines that were unreadable.',
    {},
  );
  readonly annotationProblemsTotal = this.#counter(
    'reroll_annotation_problems_total',
    'Annotations with a problem.',
    {},
  );
  readonly eventsDroppedTotal = this.#counter('reroll_events_dropped_total', 'Events that were not written.', {});
  readonly buildInfo = this.#gauge('reroll_build_info', 'Always 1; the version is its label.', { version: [version] });

  constructor({ countByNamespace }: MetricsOptions) {
    this.buildInfo.set({ version }, 1);
    this.reloadExecutedTotalByNamespace = countByNamespace
      ? this.#counter('reloader_reload_executed_total_by_namespace', 'Restarts written, by outcome and namespace.', {
          success: ['true', 'false'],
          namespace: [],
        })
      : undefined;
  }

  /** Adds `process_*` and `nodejs_*`. These read the process, so only the composition root asks for them. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamedProcessMetrics) this.#registry.removeSingleMetric(name);
  }

  /** `refresh` runs before each exposition: for gauges of what is cheap to count and changes all the time. */
  onScrape(refresh: () => void): void {
    this.#refreshers.push(refresh);
  }

  /** The value of the Content-Type header that goes with {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The Prometheus text exposition. */
  async text(): Promise<string> {
    for (const refresh of this.#refreshers) refresh();
    return await this.#registry.metrics();
  }

  #counter<L extends string>(name: string, help: string, labels: LabelValues<L>): Counter<L> {
    const counter = new Counter({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) counter.inc(series, 0);
    return counter;
  }

  #gauge<L extends string>(name: string, help: string, labels: LabelValues<L>): Gauge<L> {
    const gauge = new Gauge({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) gauge.set(series, 0);
    return gauge;
  }

  #histogram<L extends string>(name: string, help: string, labels: LabelValues<L>, buckets: number[]): Histogram<L> {
    const histogram = new Histogram({
      name,
      help,
      labelNames: labelNames(labels),
      buckets,
      registers: [this.#registry],
    });
    for (const series of knownSeries(labels)) histogram.zero(series);
    return histogram;
  }
}

function labelNames<L extends string>(labels: LabelValues<L>): L[] {
  return Object.keys(labels) as L[];
}

/** Every combination of label values; none as soon as one label is open. */
function knownSeries<L extends string>(labels: LabelValues<L>): Record<L, string>[] {
  return labelNames(labels).reduce<Record<L, string>[]>(
    (series, name) => series.flatMap((labelled) => labels[name].map((value) => ({ ...labelled, [name]: value }))),
    [{} as Record<L, string>],
  );
}
