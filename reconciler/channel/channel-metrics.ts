import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ChangePath } from './attributions';

/** What can become of a change record: each has exactly one result. */
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
const statusCodes = [202, 400, 403, 404, 405, 408, 413, 429, 500] as const;
export type ChannelStatus = (typeof statusCodes)[number];

/**
 * Metrics of the change channel, in a registry of their own: their exposition is to be put after that of the
 * reconciler. No label holds the name of a user or of a source.
 */
export class ChannelMetrics {
  readonly #registry = new Registry();

  readonly hintsTotal = new Counter({
    name: 'reroll_hints_total',
    help: 'Change records received, by what became of them.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly changesTotal = new Counter({
    name: 'reroll_changes_total',
    help: 'Changes of sources acted on, by the way on which they came.',
    labelNames: ['path'],
    registers: [this.#registry],
  });
  readonly hintsPending = new Gauge({
    name: 'reroll_hints_pending',
    help: 'Change records that stored state has not confirmed yet.',
    registers: [this.#registry],
  });
  readonly hintConfirmationSeconds = new Histogram({
    name: 'reroll_hint_confirmation_seconds',
    help: 'Time from the arrival of a change record to its confirmation.',
    buckets: [0.01, 0.05, 0.1, 0.3, 0.5, 1, 2, 5, 10, 20, 40],
    registers: [this.#registry],
  });
  readonly requestsTotal = new Counter({
    name: 'reroll_channel_requests_total',
    help: 'Requests to the change channel, by the status of the answer.',
    labelNames: ['code'],
    registers: [this.#registry],
  });

  constructor() {
    for (const result of hintResults) this.hintsTotal.inc({ result }, 0);
    for (const path of changePaths) this.changesTotal.inc({ path }, 0);
    for (const code of statusCodes) this.requestsTotal.inc({ code }, 0);
  }

  /** A change was acted on; `attribution` is what {@link Hints.attribution} told of it. */
  changed(attribution: { readonly path: ChangePath } | undefined): void {
    this.changesTotal.inc({ path: attribution?.path ?? 'watch' });
  }

  /** The Prometheus text exposition. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }
}
