import type { MetricRegistry } from '../../shared/runtime/metric-registry';
import type { ChangePath } from '../../shared/domain/plan/attribution';

/** The results of change records; each record has exactly one. */
const hintResults = [
  'confirmed',
  'phantom',
  'superseded',
  'stale',
  'foreign_key',
  'filtered',
  'malformed',
  'refused',
  'duplicate',
] as const;
export type HintResult = (typeof hintResults)[number];

const changePaths: readonly ChangePath[] = ['webhook', 'watch', 'both'];
const statusCodes = [200, 202, 400, 403, 404, 405, 408, 413, 429, 500, 503] as const;
export type ChannelStatus = (typeof statusCodes)[number];

type Attributed = { readonly path: ChangePath } | undefined;

/** Metrics of the change channel. No label contains the name of a user or a source. */
export class ChannelMetrics {
  readonly hintsTotal;
  readonly changesTotal;
  readonly changeLatencySeconds;
  readonly hintsPending;
  readonly hintConfirmationSeconds;
  readonly requestsTotal;

  constructor(registry: MetricRegistry) {
    this.hintsTotal = registry.counter('reroll_hints_total', 'Change records received, by result.', {
      result: hintResults,
    });
    this.changesTotal = registry.counter(
      'reroll_changes_total',
      'Changes of sources that restarted a workload, by how they were noticed.',
      { path: changePaths },
    );
    this.changeLatencySeconds = registry.histogram(
      'reroll_change_latency_seconds',
      'Time from the change of a source to the restart that answers it, by how the change was noticed.',
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      { path: changePaths },
    );
    this.hintsPending = registry.gauge(
      'reroll_hints_pending',
      'Change records that stored state has not confirmed yet.',
    );
    this.hintConfirmationSeconds = registry.histogram(
      'reroll_hint_confirmation_seconds',
      'Time from the arrival of a change record to its confirmation.',
      [0.01, 0.05, 0.1, 0.3, 0.5, 1, 2, 5, 10, 20, 40],
    );
    this.requestsTotal = registry.counter(
      'reroll_channel_requests_total',
      'Requests to the change channel, by the status of the answer.',
      { code: statusCodes.map(String) },
    );
  }

  /** A change led to a restart; `attribution` is the result of {@link Hints.attribution}. */
  changed(attribution: Attributed): void {
    this.changesTotal.inc({ path: pathOf(attribution) });
  }

  /**
   * A restart was written `seconds` after the first of its changes. It counts once for each way in which these were
   * noticed.
   */
  restarted(attributions: readonly Attributed[], seconds: number): void {
    for (const path of new Set(attributions.map(pathOf))) this.changeLatencySeconds.observe({ path }, seconds);
  }
}

function pathOf(attribution: Attributed): ChangePath {
  return attribution?.path ?? 'watch';
}
