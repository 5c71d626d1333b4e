import { MetricRegistry } from '../shared/runtime/metric-registry';

/** What a webhook server is asked for; whatever else is asked is `other`. */
export const reviewPaths = ['mutate', 'validate'] as const;
export type ReviewPath = (typeof reviewPaths)[number];

/** Reviews that were answered without being read. */
export type ShedReason = 'requests' | 'bytes' | 'values' | 'deadline';

/** What came out of the checks of a write that asked for some. */
export type CheckResult = 'passed' | 'warned' | 'denied';

/** Why a part of a write was not checked. */
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

/** Records that no reconciler got, or that one of them did not get. */
export type ChannelDrop = 'no_replica' | 'queue_full' | 'too_large' | 'refused' | 'unreachable' | 'stopped';

const codes = ['200', '400', '404', '408', '413', '415', '500', '503'];

/** All metrics of the webhook process. */
export class WebhookMetrics {
  readonly registry = new MetricRegistry();

  readonly requestsTotal = this.registry.counter('reroll_webhook_requests_total', 'Requests answered.', {
    path: [...reviewPaths, 'other'],
    code: codes,
  });
  readonly reviewDurationSeconds = this.registry.histogram(
    'reroll_webhook_review_duration_seconds',
    'Time from the head of a review to its answer.',
    {},
    [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  );
  readonly shedTotal = this.registry.counter('reroll_webhook_shed_total', 'Reviews allowed unread, by what was full.', {
    reason: ['requests', 'bytes', 'values', 'deadline'] satisfies ShedReason[],
  });
  readonly recordsTotal = this.registry.counter(
    'reroll_webhook_records_total',
    'Changes seen, by what became of them.',
    {
      result: ['sent', 'dropped', 'duplicate', 'dry_run', 'no_change'],
    },
  );
  readonly dutyFailuresTotal = this.registry.counter(
    'reroll_webhook_duty_failures_total',
    'Work on a review that failed; it was allowed all the same.',
    { duty: ['capture', 'content-check', 'lint', 'preview', 'source-size', 'workload'] },
  );
  readonly contentChecksTotal = this.registry.counter(
    'reroll_webhook_content_checks_total',
    'Writes whose content was to be checked, by what was said.',
    { result: ['passed', 'warned', 'denied'] satisfies CheckResult[] },
  );
  readonly uncheckedTotal = this.registry.counter(
    'reroll_webhook_unchecked_total',
    'Parts of such writes that could not be checked, and did not count, by reason.',
    { reason: [...uncheckedReasons] },
  );
  readonly inFlight = this.registry.gauge('reroll_webhook_in_flight', 'Reviews being read or worked on.', {});
  readonly bytesInFlight = this.registry.gauge(
    'reroll_webhook_bytes_in_flight',
    'Bytes of those reviews, and of what they are parsed to.',
    {},
  );
  readonly certificateSwapsTotal = this.registry.counter(
    'reroll_webhook_certificate_swaps_total',
    'Certificates put to use, and those that were refused.',
    { result: ['applied', 'refused'] },
  );
  readonly certificateNotAfterSeconds = this.registry.gauge(
    'reroll_webhook_certificate_not_after_seconds',
    'When the certificate that is served ends, in seconds since the epoch; 0 while there is none.',
    {},
  );
  readonly tlsErrorsTotal = this.registry.counter(
    'reroll_webhook_tls_errors_total',
    'Handshakes that failed: most likely an API server that does not trust the certificate.',
    {},
  );

  readonly channelBatchesTotal = this.registry.counter('reroll_channel_batches_total', 'Batches to reconcilers.', {
    result: ['sent', 'retried', 'refused', 'given_up'],
  });
  readonly channelDroppedRecordsTotal = this.registry.counter(
    'reroll_channel_dropped_records_total',
    'Records that a reconciler did not get, by reason: their changes are found by the watch, without their author.',
    {
      reason: ['no_replica', 'queue_full', 'too_large', 'refused', 'unreachable', 'stopped'] satisfies ChannelDrop[],
    },
  );
  readonly channelQueueRecords = this.registry.gauge(
    'reroll_channel_queue_records',
    'Records on their way to reconcilers, of all replicas together.',
    {},
  );
  readonly channelReplicas = this.registry.gauge('reroll_channel_replicas', 'Reconcilers that get records.', {});

  constructor() {
    this.registry.tellVersion();
  }
}
