import { AlertMetrics } from '../../reconciler/metrics/metrics';
import { AlertSender } from '../../reconciler/alerts/alert-sender';
import { alertSinks } from '../../reconciler/alerts/alert-formatters';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import type { PostAnswer } from '../../shared/outbound/post-transport';
import { silentLogger } from '../../shared/runtime/log/logger';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import type { Harness } from './harness';

/** An alert sender for an engine. Its receiver answers with `answer`. */
export function alertsOf(harness: Harness, answer?: () => PostAnswer | Promise<PostAnswer>, sinkName = 'raw') {
  const { clock, random } = harness;
  const transport = new FakePostTransport(answer);
  const metrics = new AlertMetrics(new MetricRegistry());
  const sink = alertSinks[sinkName]!;
  const alerts = new AlertSender({
    transport,
    sink,
    additionalInfo: 'prod',
    clock,
    random,
    logger: silentLogger,
    metrics,
  });
  return { transport, alerts };
}
