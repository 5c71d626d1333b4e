import { KubeClient } from '../../shared/kube/client/client';
import type { ServerClock } from '../../shared/kube/client/server-clock';
import { staticCredentials } from '../../shared/kube/access/credentials';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Network } from './network';
import type { SimulatedProcess } from './process';

/** The client of a process: the real one, except for its transport to the server. */
export function simulatedClient(
  network: Network,
  process: SimulatedProcess,
  clock: ServerClock,
  logger: Logger,
): KubeClient {
  return new KubeClient({
    transport: network.transport(process),
    credentials: staticCredentials({}),
    ...{ clock, serverClock: clock, logger, userAgent: 'reroll/simulated' },
  });
}
