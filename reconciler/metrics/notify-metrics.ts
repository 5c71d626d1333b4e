import type { MetricRegistry } from '../../shared/runtime/metric-registry';

export class NotifyMetrics {
  readonly callsTotal;

  constructor(registry: MetricRegistry) {
    this.callsTotal = registry.counter('reroll_notify_calls_total', 'Calls to --webhook-url.', {
      result: ['delivered', 'refused', 'failed', 'dry_run'],
    });
  }
}
