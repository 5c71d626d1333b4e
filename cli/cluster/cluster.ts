import type { Duplex } from 'node:stream';
import type { KubeClient } from '../../shared/kube/client/client';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { ServerClock } from '../../shared/kube/client/server-clock';
import type { Clock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import type { Environment } from '../../shared/runtime/options/options';
import type { Random } from '../../shared/runtime/random';
import type { ConnectOptions } from './cluster-options';
import { forwardPort } from './forward-port';
import { Leader, type LeaderAnswer } from './leader';

/** A cluster to which questions are put. */
export interface Cluster {
  readonly client: KubeClient;
  /** The namespace that is asked about. */
  readonly namespace: string;
  /** The API server's time, once it has answered: that of this machine may be off. */
  readonly clock: Clock;
  /** @throws LeaderSilentError, KubeError */
  ask(path: string): Promise<LeaderAnswer>;
  /** Connects to a port of a pod in Reroll's namespace. @throws KubeError */
  forward(pod: string, port: number): Promise<Duplex>;
  close(): Promise<void>;
}

/** A person waits, so there are few requests at once. */
const maxRequestSockets = 8;

export interface ConnectDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Otherwise no request is sent that stores anything. */
  readonly writes?: boolean;
}

/** Connects to the cluster of a kubeconfig, or of the pod that this runs in. @throws CredentialsError */
export async function connect(
  options: ConnectOptions,
  env: Environment,
  { clock, random, writes = false }: ConnectDeps,
): Promise<Cluster> {
  const { kubeconfig, context, rerollNamespace, leaseName, inspectionPort: port, timeoutMs } = options;
  const serverClock = new ServerClock(clock);
  const connection = await connectCluster({
    ...{ kubeconfig, context, forPerson: true, env, maxRequestSockets },
    clock: serverClock,
    logger: silentLogger,
    readOnly: writes ? false : 'but-dry-runs',
  });
  const { client, component } = connection;
  const namespace = rerollNamespace;
  const leader = new Leader({ client, clock: serverClock, random, namespace, leaseName, port, timeoutMs });
  return {
    client,
    namespace: options.namespace ?? connection.namespace,
    clock: serverClock,
    ask: async (path) => await leader.ask(path),
    forward: async (pod, to) => await forwardPort(client, random, { namespace, pod, port: to }, { timeoutMs }),
    close: async () => await component.stop(),
  };
}
