import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock';
import type { Environment } from '../../runtime/options/options';
import type { ClusterAccess } from './cluster-access';
import { isInCluster, loadInCluster } from './in-cluster';
import { loadKubeconfig } from './kubeconfig';

export interface ClusterAccessOptions {
  /** Path and context from the command line; they override everything else. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Environment;
  readonly clock: Clock;
}

/**
 * Finds the cluster: the requested kubeconfig, else `KUBECONFIG`, else the pod's service account, else
 * `~/.kube/config`. A pod never loads the kubeconfig reader.
 *
 * Throws a CredentialsError that names what is missing.
 */
export async function loadClusterAccess({
  kubeconfig,
  context,
  env,
  clock,
}: ClusterAccessOptions): Promise<ClusterAccess> {
  const chosen = kubeconfig ?? nonEmpty(env['KUBECONFIG']);
  if (chosen === undefined && context === undefined && isInCluster(env)) {
    return await loadInCluster({ env, readFile, clock });
  }
  const path = chosen ?? join(env['HOME'] ?? '', '.kube', 'config');
  return await loadKubeconfig({ path, ...(context !== undefined && { context }), env, clock });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
