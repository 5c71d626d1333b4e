import { connectCluster } from '../shared/kube/client/cluster-connection';
import { ServerClock } from '../shared/kube/client/server-clock';
import type { LoadedCommand } from '../shared/runtime/options/cli';
import { systemClock } from '../shared/runtime/clock';
import type { Component } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/log/logger';
import { MetricRegistry } from '../shared/runtime/metric-registry';
import type { Environment } from '../shared/runtime/options/options';
import { probeComponent } from '../shared/runtime/http/http-server';
import { processLogger, runProcess } from '../shared/runtime/process/process-run';
import { systemRandom } from '../shared/runtime/random';
import { version } from '../shared/runtime/version';
import { Keeper, readinessChecks } from './keeper';
import { rsaKeyPairs } from './certificate';
import { CertsMetrics } from './metrics';
import { certsOptionTable, parseCertsOptions, type CertsOptions } from './options';

/** Requests are sequential. */
const maxRequestSockets = 2;

/** `reroll certs`: connects the keeper to the clock, the network and the process. */
export function certsCommand(process: NodeJS.Process): LoadedCommand {
  return {
    options: certsOptionTable,
    run: async (args, env) => {
      const options = parseCertsOptions(args, env);
      const logger = processLogger(process, options);
      const registry = new MetricRegistry();
      const { keeper, connection } = await assemble(options, env, logger, registry);
      if (options.once) return await once(keeper, connection);
      registry.collectProcessMetrics();
      // No liveness check: a restart would fix nothing that the keeper waits for.
      const probes = { clock: systemClock, live: [], ready: readinessChecks(keeper), metrics: registry };
      const components = [probeComponent({ ...probes, listen: options.listen, logger }), connection, keeping(keeper)];
      await runProcess(process, logger, components);
      return undefined;
    },
  };
}

/** @throws NotReconciledError, whose message is shown as the reason. */
async function once(keeper: Keeper, connection: Component): Promise<number> {
  try {
    await keeper.keepOnce();
    return 0;
  } finally {
    await connection.stop();
  }
}

async function assemble(options: CertsOptions, env: Environment, logger: Logger, registry: MetricRegistry) {
  const clock = new ServerClock(systemClock);
  const { webhookService, channelService, validating, mutating, certificates, tokenLifeMs } = options;
  const { caLifeMs, leafLifeMs } = options;
  const { client, server, namespace, component } = await connectCluster({
    ...options,
    ...{ env, clock, logger, maxRequestSockets },
  });
  const ownNamespace = options.ownNamespace ?? namespace;
  logger.info('starting', { version, server, ownNamespace });
  const metrics = new CertsMetrics(registry, { certificates });
  const keeper = new Keeper(
    { client, clock, random: systemRandom, logger, metrics, keyPairs: rsaKeyPairs },
    {
      names: { namespace: ownNamespace, webhookService, channelService },
      configurations: { validating, mutating },
      lifetimes: certificates ? { caLifeMs, leafLifeMs } : undefined,
      tokenLifeMs,
    },
  );
  return { keeper, connection: component };
}

function keeping(keeper: Keeper): Component {
  return {
    name: 'keeping of certificates and token',
    start: () => keeper.start(),
    stop: async () => await keeper.stop(),
  };
}
