import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { loadCanonicalForms } from '../../shared/domain/content-check/canonical-forms';
import { channelServerName } from '../../shared/domain/protocol/channel-names';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { ServerClock } from '../../shared/kube/client/server-clock';
import { tlsComponent, tlsSource } from '../../shared/kube/secrets/tls-source';
import { CaFileSource } from '../../shared/runtime/tls/ca-file-source';
import { type Clock, systemClock } from '../../shared/runtime/clock';
import type { Component } from '../../shared/runtime/process/lifecycle';
import { formatListenAddress } from '../../shared/runtime/http/listen-address';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Environment } from '../../shared/runtime/options/options';
import { tracesUrl } from '../../shared/runtime/options/trace-options';
import type { TracingDeps } from '../../shared/tracing/tracing';
import { probeComponent } from '../../shared/runtime/http/http-server';
import { systemRandom } from '../../shared/runtime/random';
import { withinTime } from '../../shared/runtime/time-limit';
import { version } from '../../shared/runtime/version';
import { ChannelHttpsTransport } from '../channel/channel-https-transport';
import { WebhookEngine } from './engine';
import { readinessChecks } from './health';
import { WebhookMetrics } from '../metrics';
import { parseWebhookOptions, type WebhookOptions, webhookOptionTable } from './options';
import { WebhookServer } from '../admission/webhook-server';
import { WebhookTokens } from '../admission/webhook-tokens';
import type { AdmissionTracing } from '../tracing/admission-tracing';
import type { LoadedCommand } from '../../shared/runtime/options/cli';
import { processLogger, runProcess } from '../../shared/runtime/process/process-run';

/** Watches have connections of their own, and other requests are made one after another. */
const maxRequestSockets = 4;

/** The components of the process, in start order. The server stops first, while all that it needs still works. */
async function assemble(options: WebhookOptions, env: Environment, logger: Logger): Promise<readonly Component[]> {
  keepHeapSmall();
  const [clock, random, metrics] = [new ServerClock(systemClock), systemRandom, new WebhookMetrics()];
  metrics.registry.collectProcessMetrics();
  const connection = await connectCluster({ ...options, env, clock, logger, maxRequestSockets });
  const { client } = connection;
  const namespace = options.ownNamespace ?? connection.namespace;
  logger.info('starting', { version, server: connection.server, ownNamespace: namespace });

  const deps = { client, clock, random, logger };
  const { certsSecret: secretName, tlsDir, channelTlsDir, channelService } = options;
  const certificate = tlsSource(deps, { namespace, secretName, leaf: 'webhook', directory: tlsDir });
  const identity = tlsSource(deps, { namespace, secretName, leaf: 'client', directory: channelTlsDir });
  const serverName = channelServerName(channelService, namespace);
  const channel = new ChannelHttpsTransport({ clock, tls: identity, serverName });
  const tracing = await tracingOf(options, { ...deps, metrics: metrics.spans }, namespace);
  const outlets = { transport: channel, traces: tracing?.traces };
  const forms = await loadCanonicalForms(withinTime);
  const engine = new WebhookEngine({ ...deps, ...outlets, forms, metrics }, { ...options, ownNamespace: namespace });
  const callers = new WebhookTokens(deps, namespace);
  const clientCa = clientCaSource(options, { clock, logger });
  const server = new WebhookServer({
    ...{ clock, logger, metrics, handler: engine.handler },
    ...{ callers, clientCa, tls: certificate },
  });
  // No liveness check: a restart would bring neither a certificate nor a reconciler.
  const probes = { live: [], ready: readinessChecks(server), metrics: metrics.registry };
  return [
    probeComponent({ ...probes, clock, listen: options.listen, logger }),
    connection.component,
    tlsComponent([certificate, identity, ...(clientCa ? [clientCa] : [])]),
    tokens(callers),
    ...(tracing ? [tracing.component] : []),
    reviews(engine, channel),
    listener(options, server, logger),
  ];
}

/**
 * Nearly everything that a review allocates is garbage at once, and V8 lets garbage grow to several times the live heap
 * before it collects. Measured by the bench `admission`: 100 takes a sixth less memory at 200 reviews a second. 50
 * takes a quarter less, and a core answers a tenth fewer reviews.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** Loaded only if it is switched on: nobody else keeps its code in memory. */
async function tracingOf(
  options: WebhookOptions,
  deps: TracingDeps,
  namespace: string,
): Promise<AdmissionTracing | undefined> {
  const url = tracesUrl(options);
  if (!url) return undefined;
  const { admissionTracing } = await import('../tracing/admission-tracing');
  return admissionTracing(url, options, deps, { command: 'webhook', instance: hostname(), namespace });
}

function tokens(callers: WebhookTokens): Component {
  return { name: 'tokens of callers', start: () => callers.start(), stop: async () => await callers.stop() };
}

function clientCaSource(
  { clientCaFile: path }: WebhookOptions,
  deps: { readonly clock: Clock; readonly logger: Logger },
): CaFileSource | undefined {
  return path === undefined
    ? undefined
    : new CaFileSource({ ...deps, path, readFile: async () => await readFile(path) });
}

function reviews(engine: WebhookEngine, channel: ChannelHttpsTransport): Component {
  return {
    name: 'reviews',
    start: () => engine.start(),
    stop: async () => {
      await engine.stop();
      channel.close();
    },
  };
}

function listener({ webhookListen }: WebhookOptions, server: WebhookServer, logger: Logger): Component {
  return {
    name: 'webhook server',
    start: async () => {
      const { port } = await server.listen(webhookListen);
      logger.info('serving admission reviews', { address: formatListenAddress({ ...webhookListen, port }) });
    },
    stop: async () => await server.stop(),
  };
}

/** The server takes up to 20 s to stop without failing a call, records under way 2 s, and spans 1 s. A pod has 30 s. */
const drainMs = 25_000;

/** `reroll webhook`. */
export function webhookCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: webhookOptionTable,
    run: async (args, env) => {
      const options = parseWebhookOptions(args, env);
      const logger = processLogger(process, options);
      await runProcess(process, logger, await assemble(options, env, logger), drainMs);
      return undefined;
    },
  };
}
