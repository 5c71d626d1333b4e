import { gateNames } from '../../shared/domain/gate-settings/gate-names';
import { isInForce } from '../../shared/domain/gate-settings/hold';
import { sourceKinds } from '../../shared/domain/sources/source';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import type { EventRecorder } from '../../shared/kube/client/events';
import type { ClientObserver, ReflectorObserver } from '../../shared/kube/observers';
import type { Resource } from '../../shared/kube/resource';
import type { HeldInstall } from '../gates/held-install';
import type { RestartTurns } from '../gates/restart-turns';
import { holdEnds, type Metrics } from '../metrics/metrics';
import { resourceTypes } from '../reporting/event-counts';
import type { JobWorker } from '../worker/job-worker';
import type { UnfinishedLooks } from '../worker/unfinished-looks';
import type { KeyQueueObserver } from '../queue/key-queue';
import type { SourceIndex } from '../sources/source-index';
import type { Watches } from '../watch/watches';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { EngineDeps } from './engine-deps';

/** Metrics of the queue of workloads. */
export function queueObserver(metrics: Metrics): KeyQueueObserver {
  return {
    depth: (keys) => metrics.workqueueDepth.set(keys),
    added: () => metrics.workqueueAddsTotal.inc(),
    started: (waitedMs) => metrics.workqueueLatencySeconds.observe(waitedMs / 1000),
    retried: () => metrics.retriesTotal.inc(),
  };
}

/** Gauges of the sources, counted at each scrape. */
export function observeSources(metrics: Metrics, sources: Pick<SourceIndex, 'count'>): void {
  metrics.registry.onScrape(() => {
    const counted = sources.count();
    for (const kind of sourceKinds) {
      metrics.sources.set({ kind }, counted.sources[kind]);
      metrics.watchedResourcesTotal.set({ resource_type: resourceTypes[kind] }, counted.sources[kind]);
    }
    metrics.sourceRetainedBytes.set(counted.retainedBytes);
  });
}

/** Gauges of the workloads and the counter of lost Events, updated at each scrape. */
export function observeWorkloads(
  metrics: Metrics,
  workloads: Pick<WorkloadIndex, 'count'>,
  events: Pick<EventRecorder, 'dropped'>,
): void {
  let droppedBefore = 0;
  metrics.registry.onScrape(() => {
    for (const { kind } of workloadKinds) {
      const { tracked, untracked } = workloads.count(kind);
      metrics.workloads.set({ kind, tracked: 'true' }, tracked);
      metrics.workloads.set({ kind, tracked: 'false' }, untracked);
    }
    metrics.eventsDroppedTotal.inc(events.dropped - droppedBefore);
    droppedBefore = events.dropped;
  });
}

export function observeJobs(metrics: Metrics, jobs: Pick<JobWorker, 'notCreated'>): void {
  metrics.registry.onScrape(() => metrics.jobsNotCreated.set(jobs.notCreated));
}

/** Gauges of what keeps restarts from beginning, at each scrape. */
export function observeGates(
  { metrics, clock }: Pick<EngineDeps, 'metrics' | 'clock'>,
  unfinished: Pick<UnfinishedLooks, 'countByGate'>,
  heldInstall: Pick<HeldInstall, 'hold'>,
  turns: Pick<RestartTurns, 'rolling' | 'stoppedSources'>,
): void {
  metrics.registry.onScrape(() => {
    metrics.rollingWorkloads.set({}, turns.rolling.workloads);
    metrics.stoppedSources.set({}, turns.stoppedSources);
    const waiting = unfinished.countByGate();
    for (const gate of gateNames) metrics.waitingRestarts.set({ gate }, waiting.get(gate) ?? 0);
    const { hold } = heldInstall;
    const end = hold?.untilMs === undefined ? 'none' : 'set';
    const isHeld = isInForce(hold, clock.nowMs());
    for (const until of holdEnds) metrics.holdActive.set({ until }, isHeld && until === end ? 1 : 0);
  });
}

/**
 * Sets the gauge of each resource that is watched from the start to 0, until its first list is complete. A resource
 * that a flag excludes has no series.
 */
export function observeWatches(metrics: Metrics, watches: Pick<Watches, 'statuses'>): void {
  for (const { resource } of watches.statuses()) metrics.watchSynced.set({ resource: resource.plural }, 0);
}

export function reflectorObserver(metrics: Metrics, { plural }: Resource): ReflectorObserver {
  return {
    listed: () => metrics.watchSynced.set({ resource: plural }, 1),
    reconnected: (reason) => metrics.watchReconnectsTotal.inc({ resource: plural, reason }),
    decodeFailed: () => metrics.decodeFailuresTotal.inc({ resource: plural }),
    sinkFailed: () => metrics.errorsTotal.inc({ type: 'handler_error' }),
  };
}

/** `host` is that of the API server. `method` and `verb` are both the HTTP method, as in client-go's metrics. */
export function clientObserver(metrics: Metrics, host: string): ClientObserver {
  return {
    requestFinished: ({ method, code, durationMs }) => {
      metrics.restClientRequestsTotal.inc({ code, method, host });
      metrics.restClientRequestDurationSeconds.observe({ verb: method, host }, durationMs / 1000);
    },
  };
}
