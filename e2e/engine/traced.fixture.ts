import { RestartTraces } from '../../reconciler/tracing/restart-traces';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { parseChangeBatch } from '../../shared/domain/protocol/change-batch';
import { FakePostTransport } from '../../shared/outbound/post.fixture';
import { silentLogger } from '../../shared/runtime/log/logger';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { SpanExporter } from '../../shared/tracing/span-exporter';
import { SpanMetrics } from '../../shared/tracing/span-metrics';
import { resourceOf, type TracedProcess } from '../../shared/tracing/tracing';
import { WebhookMetrics } from '../../webhook/metrics';
import { WebhookEngine } from '../../webhook/process/engine';
import { AdmissionTraces } from '../../webhook/tracing/admission-traces';
import type { AdmissionHook } from '../apiserver/admission';
import { admissionReview } from '../apiserver/admission-review';
import { Controllers } from '../apiserver/controllers/controllers';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { spansIn, type CollectedSpan } from '../collector';
import { ownNamespace } from '../engine-settings';
import { Harness, handoverLease, type Engine } from './harness';

/** The webhook and an engine before a simulated API server, and a collector to which both send their traces. */
export class TracedCluster {
  readonly harness: Harness;
  readonly collector = new FakePostTransport();
  readonly #webhook: WebhookEngine;
  /** The engines that the records of the webhook reach. */
  readonly #engines: Engine[] = [];

  /** Without a delay, nobody rolls out what is restarted. */
  constructor(readyDelayMs?: number) {
    const hook: AdmissionHook = {
      name: 'validate.reroll.dev',
      review: (request) => {
        if (['ConfigMap', 'Secret'].includes(request.kind.kind)) {
          const exchange = this.#webhook.handler.begin({ path: 'validate', answer: () => undefined });
          exchange.push(admissionReview(request));
          exchange.end();
        }
        return { allowed: true };
      },
    };
    this.harness = new Harness({ admission: [hook] });
    this.harness.leaseTimings = handoverLease;
    if (readyDelayMs !== undefined) new Controllers(this.harness.server, { readyDelayMs }).start();
    const { clock, random, server, faults } = this.harness;
    const client = new KubeClient({
      ...{ transport: inProcessTransport(server, 'webhook', faults), clock, logger: silentLogger, userAgent: 'w' },
      credentials: staticCredentials({}),
    });
    const traces = new AdmissionTraces({ clock, spans: this.#exporter('webhook') });
    const transport = {
      post: async (_address: string, _path: string, body: Buffer) => {
        const { records } = parseChangeBatch(JSON.parse(body.toString('utf8')));
        for (const { reconciler } of this.#engines) reconciler.accept(records);
        return await Promise.resolve({ status: 202 });
      },
    };
    this.#webhook = new WebhookEngine(
      { ...{ client, clock, random, traces, transport }, logger: silentLogger, metrics: new WebhookMetrics() },
      {
        ...{ ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
        ...{ reconcilerAddresses: ['127.0.0.1:8444'], register: [], injectCaFrom: undefined },
        ...{ preview: false, lint: false, quietNamespaces: [] },
      },
    );
  }

  /** From now on the webhook knows the digest key, and reports what is written. */
  async startWebhook(): Promise<void> {
    this.#webhook.start();
    await this.harness.clock.advance(5_000);
  }

  async startEngine(...[settings]: Parameters<Harness['start']>): Promise<Engine> {
    const traces = new RestartTraces({ clock: this.harness.clock, spans: this.#exporter('reconciler') });
    const engine = await this.harness.start(settings, undefined, { traces });
    this.#engines.push(engine);
    return engine;
  }

  /** All that the collector has received, a batch later. */
  async spans(): Promise<readonly CollectedSpan[]> {
    await this.harness.clock.advance(10_000);
    return spansIn(this.collector.texts);
  }

  #exporter(command: TracedProcess['command']): SpanExporter {
    const { clock, random } = this.harness;
    const options = { otelServiceName: undefined, otelResourceAttributes: new Map<string, string>() };
    return new SpanExporter({
      ...{ clock, random, logger: silentLogger, transport: this.collector },
      resource: resourceOf(options, { command, instance: command, namespace: ownNamespace }),
      metrics: new SpanMetrics(new MetricRegistry()),
    });
  }
}
