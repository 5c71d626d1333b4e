import { readFile } from 'node:fs/promises';
import { KubeClient } from '../shared/kube/client';
import { createHttpsTransport } from '../shared/kube/https-transport';
import { loadClusterAccess } from '../shared/kube/load-cluster-access';
import type { ReflectorDeps } from '../shared/kube/reflector';
import { TlsRefresh } from '../shared/kube/tls-refresh';
import { TlsSecretSource } from '../shared/kube/tls-secret-source';
import { systemClock } from '../shared/runtime/clock';
import { HttpServer } from '../shared/runtime/http-server';
import type { Component } from '../shared/runtime/lifecycle';
import { formatListenAddress } from '../shared/runtime/listen-address';
import type { Logger } from '../shared/runtime/logger';
import type { Environment } from '../shared/runtime/options';
import { systemRandom } from '../shared/runtime/random';
import { TlsFileSource } from '../shared/runtime/tls-file-source';
import type { TlsMaterialSource } from '../shared/runtime/tls-material';
import { version } from '../shared/runtime/version';
import { ChannelHttpsTransport } from './channel-https-transport';
import { WebhookEngine } from './engine';
import { readinessChecks } from './health';
import { WebhookMetrics } from './metrics';
import type { WebhookOptions } from './options';
import { WebhookServer } from './webhook-server';

/** Two watches for certificates have their own; requests follow one another. */
const maxRequestSockets = 4;

/** The parts of the process, connected to clock and network, in the order of the start: the server is the first to stop, while all that it needs still works. */
export async function assemble(
  options: WebhookOptions,
  env: Environment,
  logger: Logger,
): Promise<readonly Component[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, new WebhookMetrics()];
  metrics.registry.collectProcessMetrics();
  const { kubeconfig, context, channelService } = options;
  const access = await loadClusterAccess({ kubeconfig, context, env, clock });
  const transport = createHttpsTransport({ server: access.server, tls: access.tls, maxRequestSockets });
  const client = new KubeClient({
    ...{ transport, clock, logger },
    credentials: access.credentials,
    userAgent: `reroll/${version}`,
  });
  const ownNamespace = options.ownNamespace ?? access.namespace;
  logger.info('starting', { version, server: access.server, ownNamespace });
  const { reloadTls: load } = access;
  const refresh =
    load && new TlsRefresh({ clock, logger, current: access.tls, load, apply: (tls) => transport.reload(tls) });

  const deps = { client, clock, random, logger };
  const certificate = tlsSource(deps, options, ownNamespace, options.tlsDir, 'webhook');
  const identity = tlsSource(deps, options, ownNamespace, options.channelTlsDir, 'client');
  const serverName = `${channelService}.${ownNamespace}.svc`;
  const channel = new ChannelHttpsTransport({ clock, tls: identity, serverName });
  const engine = new WebhookEngine({ ...deps, metrics, transport: channel }, { ...options, ownNamespace });
  const server = new WebhookServer({ clock, logger, metrics, handler: engine.handler, tls: certificate });
  return [
    probes(options, server, metrics, logger),
    apiServer(
      () => refresh?.start(),
      () => {
        refresh?.stop();
        transport.close();
      },
    ),
    certificates([certificate, identity]),
    reviews(engine, channel),
    listener(options, server, logger),
  ];
}

function tlsSource(
  deps: ReflectorDeps,
  { certsSecret: secretName }: WebhookOptions,
  namespace: string,
  directory: string | undefined,
  leaf: string,
): TlsMaterialSource {
  const { clock, logger } = deps;
  if (directory === undefined) return new TlsSecretSource(deps, { namespace, secretName, leaf });
  return new TlsFileSource({ directory, readFile: async (path) => await readFile(path), clock, logger });
}

function probes(options: WebhookOptions, server: WebhookServer, metrics: WebhookMetrics, logger: Logger): Component {
  // To answer at all is all that liveness can ask: a restart would bring no certificate and no reconciler.
  const http = new HttpServer({ live: [], ready: readinessChecks(server), metrics: metrics.registry });
  return {
    name: 'metrics and probes',
    start: async () => {
      const { port } = await http.listen(options.listen);
      logger.info('serving metrics and probes', { address: formatListenAddress({ ...options.listen, port }) });
    },
    stop: async () => await http.close(),
  };
}

function apiServer(open: () => void, close: () => void): Component {
  return {
    name: 'connection to the API server',
    start: () => {
      open();
      return Promise.resolve();
    },
    stop: () => {
      close();
      return Promise.resolve();
    },
  };
}

function certificates(sources: readonly TlsMaterialSource[]): Component {
  return {
    name: 'certificates',
    start: () => {
      for (const source of sources) source.start();
      return Promise.resolve();
    },
    stop: async () => {
      await Promise.all(sources.map(async (source) => await source.stop()));
    },
  };
}

function reviews(engine: WebhookEngine, channel: ChannelHttpsTransport): Component {
  return {
    name: 'reviews',
    start: () => {
      engine.start();
      return Promise.resolve();
    },
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
