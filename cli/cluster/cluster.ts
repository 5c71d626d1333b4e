import type { KubeClient } from '../../shared/kube/client/client';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { ServerClock } from '../../shared/kube/client/server-clock';
import type { Clock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import type { Environment } from '../../shared/runtime/options/options';
import type { Random } from '../../shared/runtime/random';
import type { ConnectOptions } from './cluster-options';
import { Leader, type LeaderAnswer } from './leader';

/** A cluster to which questions are put. */
export interface Cluster {
  readonly client: KubeClient;
  /** The namespace that is asked about. */
  readonly namespace: string;
  /** @throws LeaderSilentError, KubeError */
  ask(path: string): Promise<LeaderAnswer>;
  close(): Promise<void>;
}

/** A person waits, so there are few requests at once. */
const maxRequestSockets = 8;

/** Connects to the cluster of a kubeconfig, or of the pod that this runs in. @throws CredentialsError */
export async function connect(
  options: ConnectOptions,
  env: Environment,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<Cluster> {
  const { kubeconfig, context, rerollNamespace, leaseName, inspectionPort: port, timeoutMs } = options;
  const connection = await connectCluster({
    ...{ kubeconfig, context, env, maxRequestSockets },
    clock: new ServerClock(clock),
    logger: silentLogger,
    readOnly: true,
  });
  const { client, component } = connection;
  const leader = new Leader({ client, clock, random, namespace: rerollNamespace, leaseName, port, timeoutMs });
  return {
    client,
    namespace: options.namespace ?? connection.namespace,
    ask: async (path) => await leader.ask(path),
    close: async () => await component.stop(),
  };
}
