import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { channelServerName } from '../../shared/domain/protocol/channel-names';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { tlsComponent, tlsSource } from '../../shared/kube/secrets/tls-source';
import { CaFileSource } from '../../shared/runtime/tls/ca-file-source';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import type { Component } from '../../shared/runtime/process/lifecycle';
import { formatListenAddress } from '../../shared/runtime/http/listen-address';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Environment } from '../../shared/runtime/options/options';
import { probeComponent } from '../../shared/runtime/http/probe-component';
import { systemRandom } from '../../shared/runtime/random';
import { version } from '../../shared/runtime/version';
import { ChannelHttpsTransport } from '../channel/channel-https-transport';
import { WebhookEngine } from './engine';
import { readinessChecks } from './health';
import { WebhookMetrics } from '../metrics';
import type { WebhookOptions } from './options';
import { WebhookServer } from '../admission/webhook-server';
import { WebhookTokens } from '../admission/webhook-tokens';

/** The watches of Secrets have their own; requests follow one another. */
const maxRequestSockets = 4;

/** The parts of the process, connected to clock and network, in the order of the start: the server is the first to stop, while all that it needs still works. */
export async function assemble(
  options: WebhookOptions,
  env: Environment,
  logger: Logger,
): Promise<readonly Component[]> {
  keepHeapSmall();
  const [clock, random, metrics] = [systemClock, systemRandom, new WebhookMetrics()];
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
  const engine = new WebhookEngine({ ...deps, metrics, transport: channel }, { ...options, ownNamespace: namespace });
  const callers = new WebhookTokens(deps, namespace);
  const clientCa = clientCaSource(options, { clock, logger });
  const server = new WebhookServer({
    ...{ clock, logger, metrics, handler: engine.handler },
    ...{ callers, clientCa, tls: certificate },
  });
  // To answer at all is all that liveness can ask: a restart would bring no certificate and no reconciler.
  const probes = { live: [], ready: readinessChecks(server), metrics: metrics.registry };
  return [
    probeComponent({ ...probes, clock, listen: options.listen, logger }),
    connection.component,
    tlsComponent([certificate, identity, ...(clientCa ? [clientCa] : [])]),
    tokens(callers),
    reviews(engine, channel),
    listener(options, server, logger),
  ];
}

/**
 * Nearly all that reviews leave behind is garbage at once, and V8 lets it pile up to several times of what is alive before
 * it looks. Measured by the bench `admission`: a sixth less memory at 200 reviews a second. With 50 it is a quarter less, and a
 * tenth fewer reviews that a core can answer.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
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
