import type { Cluster } from './cluster';
import { connectExistingCluster, existingClusterKubeconfig } from './existing-cluster';
import { type ControlPlaneOptions, startControlPlane } from './start';

/** Opens the cluster for a test: an existing one if the environment opts in to it, else a new control plane. */
export async function openCluster(options: ControlPlaneOptions = {}): Promise<Cluster> {
  return existingClusterKubeconfig() === undefined ? await startControlPlane(options) : await connectExistingCluster();
}
