import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Network } from './network';
import type { SimulatedProcess } from './process';

/** The client of a process: the real one, except for its transport to the server. */
export function simulatedClient(network: Network, process: SimulatedProcess, logger: Logger): KubeClient {
  return new KubeClient({
    transport: network.transport(process),
    credentials: staticCredentials({}),
    ...{ clock: process.clock, logger, userAgent: 'reroll/simulated' },
  });
}
