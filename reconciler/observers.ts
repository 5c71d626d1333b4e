import type { ClientObserver, ReflectorObserver } from '../shared/kube/observers';
import type { Resource } from '../shared/kube/resource';
import type { Metrics } from '../shared/runtime/metrics';
import type { KeyQueueObserver } from './key-queue';

/** Connects what the engine's parts tell about themselves to metrics. */
export function queueObserver(metrics: Metrics): KeyQueueObserver {
  return {
    depth: (keys) => metrics.workqueueDepth.set(keys),
    added: () => metrics.workqueueAddsTotal.inc(),
    started: (waitedMs) => metrics.workqueueLatencySeconds.observe(waitedMs / 1000),
    retried: () => metrics.retriesTotal.inc(),
  };
}

export function reflectorObserver(metrics: Metrics, { plural }: Resource): ReflectorObserver {
  return {
    bytesRead: () => undefined,
    listed: () => metrics.watchSynced.set({ resource: plural }, 1),
    reconnected: (reason) => metrics.watchReconnectsTotal.inc({ resource: plural, reason }),
    decodeFailed: () => metrics.decodeFailuresTotal.inc({ resource: plural }),
    sinkFailed: () => metrics.errorsTotal.inc({ type: 'handler_error' }),
  };
}

/** `host` is the API server's, as in client-go's metrics. */
export function clientObserver(metrics: Metrics, host: string): ClientObserver {
  return {
    requestFinished: ({ verb, code, durationMs }) => {
      metrics.restClientRequestsTotal.inc({ code, method: verb, host });
      metrics.restClientRequestDurationSeconds.observe({ verb, host }, durationMs / 1000);
    },
  };
}
