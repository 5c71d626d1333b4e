import type { Cluster } from './cluster';
import { connectExistingCluster, existingClusterKubeconfig } from './existing-cluster';
import { type ControlPlaneOptions, startControlPlane } from './start';

/** The cluster that a test shall use: an existing one where the environment opts in to it, else one of its own. */
export async function openCluster(options: ControlPlaneOptions = {}): Promise<Cluster> {
  return existingClusterKubeconfig() === undefined ? await startControlPlane(options) : await connectExistingCluster();
}
