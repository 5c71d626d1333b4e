import type { MetricRegistry } from '../../shared/runtime/metric-registry';

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
    this.waiting = registry.gauge('reroll_alerts_waiting', 'Alerts that wait to be sent, or are being sent.', {});
  }
}
