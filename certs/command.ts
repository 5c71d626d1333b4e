import type { Writable } from 'node:stream';
import { KubeClient } from '../shared/kube/client';
import { createHttpsTransport } from '../shared/kube/https-transport';
import { loadClusterAccess } from '../shared/kube/load-cluster-access';
import { TlsRefresh } from '../shared/kube/tls-refresh';
import { systemClock } from '../shared/runtime/clock';
import { HttpServer } from '../shared/runtime/http-server';
import { Lifecycle, type Component, type ProcessPort } from '../shared/runtime/lifecycle';
import { formatListenAddress } from '../shared/runtime/listen-address';
import type { Logger } from '../shared/runtime/logger';
import { MetricRegistry } from '../shared/runtime/metric-registry';
import type { Environment } from '../shared/runtime/options';
import { systemRandom } from '../shared/runtime/random';
import { version } from '../shared/runtime/version';
import { createLogger } from '../shared/runtime/winston-logger';
import { CertificateKeeper } from './certificate-keeper';
import { readinessChecks } from './health';
import { rsaKeyPairs } from './key-pairs';
import { CertificateMetrics } from './metrics';
import { certsOptionTable, parseCertsOptions, type CertsOptions } from './options';

/** Requests follow one another. */
const maxRequestSockets = 2;

/** `reroll certs`: the one place where the keeper meets the clock, the network and the process. */
export function certsCommand(stdout: Writable, process: ProcessPort) {
  return {
    name: 'certs',
    summary: 'Keeps the certificates of the webhook and of the change channel.',
    options: certsOptionTable,
    run: async (args: readonly string[], env: Environment): Promise<number | undefined> => {
      const options = parseCertsOptions(args, env);
      const { logFormat: format, logLevel: level } = options;
      const logger = createLogger({ format, level, clock: systemClock, stream: stdout });
      const registry = new MetricRegistry();
      const { keeper, close } = await assemble(options, env, logger, registry);
      if (options.once) return await once(keeper, close);
      registry.collectProcessMetrics();
      const components = [probes(options, keeper, registry, logger), keeping(keeper, close)];
      await new Lifecycle({ clock: systemClock, logger, process, components }).run();
      return undefined;
    },
  };
}

/** @throws CertificatesNotKeptError, whose message is the reason that is shown. */
async function once(keeper: CertificateKeeper, close: () => void): Promise<number> {
  try {
    await keeper.keep();
    return 0;
  } finally {
    close();
  }
}

async function assemble(options: CertsOptions, env: Environment, logger: Logger, registry: MetricRegistry) {
  const clock = systemClock;
  const { kubeconfig, context, webhookService, channelService, validating, mutating, caLifeMs, leafLifeMs } = options;
  const access = await loadClusterAccess({ kubeconfig, context, env, clock });
  const transport = createHttpsTransport({ server: access.server, tls: access.tls, maxRequestSockets });
  const client = new KubeClient({
    ...{ transport, clock, logger },
    credentials: access.credentials,
    userAgent: `reroll/${version}`,
  });
  const namespace = options.ownNamespace ?? access.namespace;
  logger.info('starting', { version, server: access.server, ownNamespace: namespace });
  const metrics = new CertificateMetrics(registry);
  const keeper = new CertificateKeeper(
    { client, clock, random: systemRandom, logger, metrics, keyPairs: rsaKeyPairs },
    {
      names: { namespace, webhookService, channelService },
      configurations: { validating, mutating },
      lives: { caLifeMs, leafLifeMs },
    },
  );
  const { reloadTls: load } = access;
  const refresh =
    load && new TlsRefresh({ clock, logger, current: access.tls, load, apply: (tls) => transport.reload(tls) });
  refresh?.start();
  const close = (): void => {
    refresh?.stop();
    transport.close();
  };
  return { keeper, close };
}

function probes(options: CertsOptions, keeper: CertificateKeeper, metrics: MetricRegistry, logger: Logger): Component {
  // Nothing that this process waits for would come sooner with a restart.
  const server = new HttpServer({ live: [], ready: readinessChecks(keeper), metrics });
  return {
    name: 'metrics and probes',
    start: async () => {
      const { port } = await server.listen(options.listen);
      logger.info('serving metrics and probes', { address: formatListenAddress({ ...options.listen, port }) });
    },
    stop: async () => await server.close(),
  };
}

function keeping(keeper: CertificateKeeper, close: () => void): Component {
  return {
    name: 'certificates',
    start: () => {
      keeper.start();
      return Promise.resolve();
    },
    stop: async () => {
      await keeper.stop();
      close();
    },
  };
}
