import type { Clock } from '../../shared/runtime/clock';
import type { Component } from '../../shared/runtime/process/lifecycle';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import { HttpsPostTransport } from '../../shared/outbound/https-post-transport';
import type { AlertMetrics } from '../metrics/metrics';
import { AlertSender } from './alert-sender';
import type { AlertOptions } from './options';
import { alertSink, alertSinks, raw } from './alert-formatters';

/**
 * The sender of alerts, if they are switched on and have an address. A missing address or an unknown receiver is logged
 * at the start, and restarts go on.
 */
export function alertSender(
  options: AlertOptions,
  deps: { readonly clock: Clock; readonly random: Random; readonly logger: Logger; readonly metrics: AlertMetrics },
): AlertSender | undefined {
  const { alertOnReload, alertSink: sinkName, alertWebhookUrl: url, alertWebhookProxy: proxy } = options;
  const { clock, logger } = deps;
  if (!alertOnReload) return undefined;
  if (!url) {
    logger.warn('alerts are switched on and have no address, so none is sent: set ALERT_WEBHOOK_URL');
    return undefined;
  }
  const sink = alertSink(sinkName);
  if (!sink) {
    logger.warn(`unknown ALERT_SINK ${JSON.stringify(sinkName.slice(0, 40))}: alerts are sent as plain text`, {
      known: Object.keys(alertSinks),
    });
  }
  return new AlertSender({
    ...deps,
    transport: new HttpsPostTransport({ clock, url, proxy }),
    sink: sink ?? raw,
    additionalInfo: options.alertAdditionalInfo,
  });
}

/** Stops after the engine, because the engine's last restarts must be sent too. */
export function alertComponent(sender: AlertSender): Component {
  return { name: 'alerts', start: () => Promise.resolve(), stop: async () => await sender.stop() };
}
