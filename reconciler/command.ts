import { hostname } from 'node:os';
import type { Environment } from '../shared/runtime/options';
import { loadClusterAccess } from '../shared/kube/load-cluster-access';
import { KubeClient } from '../shared/kube/client';
import { createHttpsTransport } from '../shared/kube/https-transport';
import { TlsRefresh } from '../shared/kube/tls-refresh';
import { systemClock } from '../shared/runtime/clock';
import { HttpServer } from '../shared/runtime/http-server';
import { formatListenAddress } from '../shared/runtime/listen-address';
import { Lifecycle, type Component } from '../shared/runtime/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import { Metrics } from '../shared/runtime/metrics';
import { randomHex, systemRandom } from '../shared/runtime/random';
import { version } from '../shared/runtime/version';
import { createLogger } from '../shared/runtime/winston-logger';
import type { CliCommand } from './cli';
import { livenessChecks, readinessChecks } from './health';
import { clientObserver } from './observers';
import { parseReconcilerOptions, reconcilerOptionTable, type ReconcilerOptions } from './options';
import { processPort } from './process-port';
import { concurrency } from './engine';
import { Reconciler } from './reconciler';

/** `reroll reconciler`: the one place where the engine meets the clock, the network and the process. */
export function reconcilerCommand(process: NodeJS.Process): CliCommand {
  return {
    name: 'reconciler',
    summary: 'Watches sources and restarts the workloads that use them.',
    options: reconcilerOptionTable,
    run: async (args, env) => {
      const options = parseReconcilerOptions(args, env);
      const { logFormat: format, logLevel: level } = options;
      const logger = createLogger({ format, level, clock: systemClock, stream: process.stdout });
      const { reconciler, metrics, close } = await assemble(options, env, logger);
      const components = [probes(options, reconciler, metrics, logger), engine(reconciler, close)];
      await new Lifecycle({ clock: systemClock, logger, process: processPort(process), components }).run();
      return undefined;
    },
  };
}

async function assemble(options: ReconcilerOptions, env: Environment, logger: Logger) {
  const clock = systemClock;
  const random = systemRandom;
  const metrics = new Metrics({ countByNamespace: env['METRICS_COUNT_BY_NAMESPACE'] === 'enabled' });
  metrics.collectProcessMetrics();
  const { kubeconfig, context } = options;
  const access = await loadClusterAccess({ kubeconfig, context, env, clock });
  const transport = createHttpsTransport({ server: access.server, tls: access.tls, maxRequestSockets: concurrency });
  const client = new KubeClient({
    ...{ transport, clock, logger },
    credentials: access.credentials,
    userAgent: `reroll/${version}`,
    observer: clientObserver(metrics, new URL(access.server).host),
  });
  const settings = {
    ...options,
    policy: { autoReloadAll: options.autoReloadAll, ignoredWorkloadKinds: options.ignoredWorkloadKinds },
    ownNamespace: options.ownNamespace ?? access.namespace,
    // Without a pod's name two processes of one host would take each other's lease for their own.
    identity: options.podName ?? `${hostname()}-${randomHex(random, 8)}`,
  };
  logger.info('starting', {
    version,
    server: access.server,
    ownNamespace: settings.ownNamespace,
    identity: settings.identity,
  });
  const reconciler = new Reconciler({ client, clock, random, logger, metrics }, settings);
  const { reloadTls: load } = access;
  const refresh =
    load && new TlsRefresh({ clock, logger, current: access.tls, load, apply: (tls) => transport.reload(tls) });
  refresh?.start();
  const close = (): void => {
    refresh?.stop();
    transport.close();
  };
  return { reconciler, metrics, close };
}

function probes(options: ReconcilerOptions, reconciler: Reconciler, metrics: Metrics, logger: Logger): Component {
  const server = new HttpServer({
    live: livenessChecks(reconciler, systemClock),
    ready: readinessChecks(reconciler),
    metrics,
  });
  return {
    name: 'metrics and probes',
    start: async () => {
      const { port } = await server.listen(options.listen);
      logger.info('serving metrics and probes', { address: formatListenAddress({ ...options.listen, port }) });
    },
    stop: async () => await server.close(),
  };
}

function engine(reconciler: Reconciler, close: () => void): Component {
  return {
    name: 'engine',
    start: () => {
      reconciler.start();
      return Promise.resolve();
    },
    stop: async () => {
      await reconciler.stop();
      close();
    },
  };
}
