import { hostname } from 'node:os';
import { version as nodeVersion } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { channelClientName } from '../../shared/domain/protocol/channel-names';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { ServerClock } from '../../shared/kube/client/server-clock';
import type { ReflectorDeps } from '../../shared/kube/list-watch/reflector';
import { tlsComponent, tlsSource } from '../../shared/kube/secrets/tls-source';
import { systemClock } from '../../shared/runtime/clock';
import type { Component } from '../../shared/runtime/process/lifecycle';
import type { Logger } from '../../shared/runtime/log/logger';
import { withinTime } from '../../shared/runtime/time-limit';
import type { Environment } from '../../shared/runtime/options/options';
import { httpGet } from '../../shared/outbound/http-get';
import { HttpsPostTransport } from '../../shared/outbound/https-post-transport';
import { tracesUrl } from '../../shared/runtime/options/trace-options';
import type { TracingDeps } from '../../shared/tracing/tracing';
import { probeComponent } from '../../shared/runtime/http/http-server';
import { randomHex, systemRandom } from '../../shared/runtime/random';
import { version } from '../../shared/runtime/version';
import { alertComponent, alertSender } from '../alerts/component';
import { ChannelServer } from '../channel/channel-server';
import { concurrency } from '../engine/engine-deps';
import { livenessChecks, readinessChecks } from './health';
import { Metrics } from '../metrics/metrics';
import { clientObserver } from '../engine/observers';
import { checkTimeoutMs, HealthChecker } from '../health-checks/health-checker';
import { PrometheusCheck } from '../health-checks/prometheus-check';
import { ServiceCheck } from '../health-checks/service-check';
import { answerQuestion } from '../inspection/answer-question';
import { InspectionServer } from '../inspection/inspection-server';
import { metaInfoData } from '../meta-info/meta-info';
import { MetaInfoPublisher } from '../meta-info/publisher';
import { parseReconcilerOptions, type ReconcilerOptions, reconcilerOptionTable } from '../options/options';
import { Reconciler } from './reconciler';
import type { RestartTracing } from '../tracing/restart-tracing';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { processLogger, runProcess } from '../../shared/runtime/process/process-run';

/** The components of the process, connected to clock and network, in start order. */
async function assemble(options: ReconcilerOptions, env: Environment, logger: Logger): Promise<readonly Component[]> {
  const [clock, random] = [new ServerClock(systemClock), systemRandom];
  const metrics = new Metrics({ countByNamespace: env['METRICS_COUNT_BY_NAMESPACE'] === 'enabled' });
  metrics.registry.collectProcessMetrics();
  const connection = await connectCluster({
    ...options,
    ...{ env, clock, logger, maxRequestSockets: concurrency, readOnly: options.dryRun },
    observer: (host) => clientObserver(metrics, host),
  });
  const { client, server } = connection;
  const ownNamespace = options.ownNamespace ?? connection.namespace;
  // A host name is not unique: two processes on one host would take each other's Lease for their own.
  const identity = options.podName ?? `${hostname()}-${randomHex(random, 8)}`;
  logger.info('starting', { version, server, ownNamespace, identity });
  for (const remark of options.remarks) logger.warn(remark);
  const deps = { client, clock, random, logger };
  const policy = { autoReloadAll: options.autoReloadAll, ignoredWorkloadKinds: options.ignoredWorkloadKinds };
  const alerts = options.dryRun ? undefined : alertSender(options, { ...deps, metrics: metrics.alerts });
  const { listen, webhookUrl } = options;
  const webhook = webhookUrl && new HttpsPostTransport({ clock, url: webhookUrl });
  const settings = { ...options, policy, ownNamespace, identity };
  const tracing = await tracingOf(options, { ...deps, metrics: metrics.spans }, { identity, ownNamespace });
  const outlets = { alerts, webhook, traces: tracing?.traces, checker: healthChecker(deps, options) };
  const forms = await loadCanonicalForms(withinTime);
  const reconciler = new Reconciler(
    { ...deps, ...outlets, forms, metrics, onListed: keepHeapSmall, clockAheadMs: () => clock.aheadMs() },
    settings,
  );
  const probes = { live: livenessChecks(reconciler, clock), ready: readinessChecks(reconciler) };
  return [
    probeComponent({ ...probes, metrics: metrics.registry, clock, listen, logger }),
    connection.component,
    ...metaInfo(deps, options),
    ...(alerts ? [alertComponent(alerts)] : []),
    ...(tracing ? [tracing.component] : []),
    engine(reconciler),
    ...channel(deps, options, ownNamespace, reconciler, metrics),
    ...inspection(deps, options, reconciler),
  ];
}

/**
 * From now on, V8 collects garbage before it grows its heap. After the first lists of a large cluster this saves 15
 * MiB. During the lists it would cost a quarter more time, as in the webhook.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}

function healthChecker(
  { client, clock }: ReflectorDeps,
  { healthyUrls, prometheusUrl: url }: ReconcilerOptions,
): HealthChecker {
  return new HealthChecker({
    clock,
    service: healthyUrls ? new ServiceCheck({ client, get: httpGet }) : undefined,
    prometheus: url && new PrometheusCheck({ url, get: httpGet, timeoutMs: checkTimeoutMs }),
  });
}

/** Loaded only if it is switched on: nobody else keeps its code in memory. */
async function tracingOf(
  options: ReconcilerOptions,
  deps: TracingDeps,
  { identity: instance, ownNamespace: namespace }: { readonly identity: string; readonly ownNamespace: string },
): Promise<RestartTracing | undefined> {
  const url = tracesUrl(options);
  if (!url) return undefined;
  const { restartTracing } = await import('../tracing/restart-tracing');
  return restartTracing(url, options, deps, { command: 'reconciler', instance, namespace });
}

function metaInfo(deps: ReflectorDeps, options: ReconcilerOptions): readonly Component[] {
  const { metaInfoNamespace: namespace, dryRun } = options;
  if (namespace === undefined || dryRun) return [];
  const data = metaInfoData({ options, namespace, version, runtime: `node ${nodeVersion}` });
  return [new MetaInfoPublisher({ ...deps, namespace, data })];
}

function engine(reconciler: Reconciler): Component {
  return {
    name: 'engine',
    start: () => reconciler.start(),
    stop: async () => await reconciler.stop(),
  };
}

/** Stops before the engine: nobody would look at what it still received. */
function channel(
  deps: ReflectorDeps,
  { channelListen: address, certsSecret: secretName, channelTlsDir: directory }: ReconcilerOptions,
  namespace: string,
  reconciler: Reconciler,
  metrics: Metrics,
): readonly Component[] {
  if (!address) return [];
  const { clock, logger, random } = deps;
  const tls = tlsSource(deps, { namespace, secretName, leaf: 'channel', directory });
  const server = new ChannelServer({
    ...{ clock, random, logger, address, tls },
    metrics: metrics.channel,
    clientName: channelClientName(namespace),
    handlers: reconciler,
  });
  return [tlsComponent([tls]), server];
}

/** Starts last: it needs nothing but a port, and goes without it. */
function inspection(
  { clock, logger }: ReflectorDeps,
  { inspectionListen: address }: ReconcilerOptions,
  reconciler: Reconciler,
): readonly Component[] {
  if (!address) return [];
  return [
    new InspectionServer({
      clock,
      logger,
      address,
      answer: (question, acceptsGzip) => answerQuestion(reconciler, question, acceptsGzip),
    }),
  ];
}

/** `reroll reconciler`. */
export function reconcilerCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: reconcilerOptionTable,
    run: async (args, env) => {
      const options = parseReconcilerOptions(args, env);
      const logger = processLogger(process, options);
      await runProcess(process, logger, await assemble(options, env, logger));
      return undefined;
    },
  };
}
