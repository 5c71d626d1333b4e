import type { KubeClient } from '../../shared/kube/client/client';
import { connectCluster } from '../../shared/kube/client/cluster-connection';
import { ServerClock } from '../../shared/kube/client/server-clock';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import type { Environment } from '../../shared/runtime/options/options';
import type { ManifestWorld } from '../manifests/manifest-command';
import type { ClusterPart } from './migrate-options';

/** A cluster that is read. */
export interface ReadCluster {
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** What the command uses of its process: files, or else a cluster. */
export interface MigrateWorld extends ManifestWorld {
  readonly clock: Clock;
  readonly isErrorTerminal: boolean;
  readonly connect: (part: ClusterPart, env: Environment) => Promise<ReadCluster>;
}

/** Connects to a cluster, which nothing can write through this connection. @throws CredentialsError */
export async function connectForReading({ kubeconfig, context }: ClusterPart, env: Environment): Promise<ReadCluster> {
  const { client, component } = await connectCluster({
    ...{ kubeconfig, context, forPerson: true, env, maxRequestSockets: 2 },
    ...{ clock: new ServerClock(systemClock), logger: silentLogger, readOnly: true },
  });
  return { client, close: async () => await component.stop() };
}
