import { hostname } from 'node:os';
import { channelClientName } from '../shared/domain/channel-names';
import { connectCluster } from '../shared/kube/cluster-connection';
import type { ReflectorDeps } from '../shared/kube/reflector';
import { tlsComponent, tlsSource } from '../shared/kube/tls-source';
import { systemClock } from '../shared/runtime/clock';
import type { Component } from '../shared/runtime/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import type { Environment } from '../shared/runtime/options';
import { probeComponent } from '../shared/runtime/probe-component';
import { randomHex, systemRandom } from '../shared/runtime/random';
import { version } from '../shared/runtime/version';
import { ChannelServer } from './channel/channel-server';
import { concurrency } from './engine';
import { livenessChecks, readinessChecks } from './health';
import { Metrics } from './metrics';
import { clientObserver } from './observers';
import type { ReconcilerOptions } from './options';
import { Reconciler } from './reconciler';

/** The parts of the process, connected to clock and network, in the order of the start. */
export async function assemble(
  options: ReconcilerOptions,
  env: Environment,
  logger: Logger,
): Promise<readonly Component[]> {
  const [clock, random] = [systemClock, systemRandom];
  const metrics = new Metrics({ countByNamespace: env['METRICS_COUNT_BY_NAMESPACE'] === 'enabled' });
  metrics.registry.collectProcessMetrics();
  const connection = await connectCluster({
    ...options,
    ...{ env, clock, logger, maxRequestSockets: concurrency },
    observer: (host) => clientObserver(metrics, host),
  });
  const { client, server } = connection;
  const ownNamespace = options.ownNamespace ?? connection.namespace;
  // Without a pod's name two processes of one host would take each other's lease for their own.
  const identity = options.podName ?? `${hostname()}-${randomHex(random, 8)}`;
  logger.info('starting', { version, server, ownNamespace, identity });
  const deps = { client, clock, random, logger };
  const policy = { autoReloadAll: options.autoReloadAll, ignoredWorkloadKinds: options.ignoredWorkloadKinds };
  const reconciler = new Reconciler({ ...deps, metrics }, { ...options, policy, ownNamespace, identity });
  const { listen } = options;
  const probes = { live: livenessChecks(reconciler, clock), ready: readinessChecks(reconciler) };
  return [
    probeComponent({ ...probes, metrics: metrics.registry, listen, logger }),
    connection.component,
    engine(reconciler),
    ...channel(deps, options, ownNamespace, reconciler, metrics),
  ];
}

function engine(reconciler: Reconciler): Component {
  return {
    name: 'engine',
    start: () => reconciler.start(),
    stop: async () => await reconciler.stop(),
  };
}

/** Stops before the engine: what it would still receive would be looked at by nobody. */
function channel(
  deps: ReflectorDeps,
  { channelListen: address, certsSecret: secretName, channelTlsDir: directory }: ReconcilerOptions,
  namespace: string,
  reconciler: Reconciler,
  metrics: Metrics,
): readonly Component[] {
  if (!address) return [];
  const { clock, logger } = deps;
  const tls = tlsSource(deps, { namespace, secretName, leaf: 'channel', directory });
  const server = new ChannelServer({
    ...{ clock, logger, address, tls },
    metrics: metrics.channel,
    clientName: channelClientName(namespace),
    inbox: reconciler,
  });
  return [tlsComponent([tls]), server];
}
