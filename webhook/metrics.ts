import { MetricRegistry } from '../shared/runtime/metric-registry';
import { SpanMetrics } from '../shared/tracing/span-metrics';

/** The paths of the webhook. Every other path counts as `other`. */
export const reviewPaths = ['mutate', 'validate'] as const;
export type ReviewPath = (typeof reviewPaths)[number];

/** Why a review was allowed without being read. */
export type ShedReason = 'requests' | 'bytes' | 'values' | 'deadline';

/** The result of the content checks of a write. */
export type CheckResult = 'passed' | 'warned' | 'denied';

/** Why part of a write was not checked. */
export const uncheckedReasons = [
  'annotation',
  'schema_missing',
  'schema_unreadable',
  'schema_unavailable',
  'too_large',
  'deadline',
  'crash',
] as const;
export type UncheckedReason = (typeof uncheckedReasons)[number];

/** Why a record did not reach a reconciler. */
export type ChannelDrop = 'no_replica' | 'queue_full' | 'too_large' | 'refused' | 'unreachable' | 'stopped';

const codes = ['200', '400', '404', '408', '413', '415', '500', '503'];

/** All metrics of the webhook process. */
export class WebhookMetrics {
  readonly registry = new MetricRegistry();
  readonly spans = new SpanMetrics(this.registry);

  readonly requestsTotal = this.registry.counter('reroll_webhook_requests_total', 'Requests answered.', {
    path: [...reviewPaths, 'other'],
    code: codes,
  });
  readonly reviewDurationSeconds = this.registry.histogram(
    'reroll_webhook_review_duration_seconds',
    'Time from the head of a review to its answer.',
    [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  );
  readonly shedTotal = this.registry.counter(
    'reroll_webhook_shed_total',
    'Reviews allowed unread, by the limit that was reached.',
    { reason: ['requests', 'bytes', 'values', 'deadline'] satisfies ShedReason[] },
  );
  readonly recordsTotal = this.registry.counter('reroll_webhook_records_total', 'Changes seen, by result.', {
    result: ['sent', 'dropped', 'duplicate', 'dry_run', 'no_change'],
  });
  readonly pluginFailuresTotal = this.registry.counter(
    'reroll_webhook_duty_failures_total',
    'Plugins and observers that failed on a review or were late; the review was allowed all the same.',
    { duty: ['capture', 'content-check', 'lint', 'preview', 'source-annotations', 'source-size', 'workload'] },
  );
  readonly contentChecksTotal = this.registry.counter(
    'reroll_webhook_content_checks_total',
    'Writes whose content was checked, by result.',
    { result: ['passed', 'warned', 'denied'] satisfies CheckResult[] },
  );
  readonly uncheckedTotal = this.registry.counter(
    'reroll_webhook_unchecked_total',
    'Parts of a write that could not be checked and were allowed, by reason.',
    { reason: [...uncheckedReasons] },
  );
  readonly inFlight = this.registry.gauge('reroll_webhook_in_flight', 'Reviews being read or worked on.');
  readonly bytesInFlight = this.registry.gauge(
    'reroll_webhook_bytes_in_flight',
    'Bytes of the reviews in flight, and of what they are parsed to.',
  );
  readonly certificateSwapsTotal = this.registry.counter(
    'reroll_webhook_certificate_swaps_total',
    'New certificates, by whether they could be used.',
    { result: ['applied', 'refused'] },
  );
  readonly certificateNotAfterSeconds = this.registry.gauge(
    'reroll_webhook_certificate_not_after_seconds',
    'When the served certificate expires, in seconds since the epoch; 0 if there is none.',
  );
  readonly tlsErrorsTotal = this.registry.counter(
    'reroll_webhook_tls_errors_total',
    'TLS handshakes that failed, most likely because an API server does not trust the certificate.',
  );

  readonly channelBatchesTotal = this.registry.counter(
    'reroll_channel_batches_total',
    'Batches sent to reconcilers, by result.',
    { result: ['sent', 'retried', 'refused', 'given_up'] },
  );
  readonly channelDroppedRecordsTotal = this.registry.counter(
    'reroll_channel_dropped_records_total',
    'Records that did not reach a reconciler, by reason. The watch finds their changes, but not who made them.',
    { reason: ['no_replica', 'queue_full', 'too_large', 'refused', 'unreachable', 'stopped'] satisfies ChannelDrop[] },
  );
  readonly channelQueueRecords = this.registry.gauge(
    'reroll_channel_queue_records',
    'Records that wait or are being sent, for all reconcilers together.',
  );
  readonly channelReplicas = this.registry.gauge('reroll_channel_replicas', 'Reconcilers that records are sent to.');

  constructor() {
    this.registry.registerBuildInfo();
  }
}
