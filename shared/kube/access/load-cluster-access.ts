import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock';
import type { Environment } from '../../runtime/options/options';
import type { ClusterAccess } from './cluster-access';
import { isInCluster, loadInCluster } from './in-cluster';
import { loadKubeconfig, readContexts } from './kubeconfig';

export interface ClusterAccessOptions {
  /** Path and context from the command line; they override everything else. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Somebody types a command: in a pod with `~/.kube/config`, that counts before the service account, as for kubectl. */
  readonly forPerson?: boolean;
  readonly env: Environment;
  readonly clock: Clock;
}

/**
 * Finds the cluster: the requested kubeconfig, else `KUBECONFIG`, else the pod's service account, else
 * `~/.kube/config`; for a person, the service account comes last. A reconciler or webhook in a pod never loads the
 * kubeconfig reader.
 *
 * Throws a CredentialsError that names what is missing.
 */
export async function loadClusterAccess({
  kubeconfig,
  context,
  forPerson = false,
  env,
  clock,
}: ClusterAccessOptions): Promise<ClusterAccess> {
  const chosen = kubeconfig ?? nonEmpty(env['KUBECONFIG']);
  const ofHome = homeConfig(env);
  if (chosen === undefined && context === undefined && isInCluster(env) && !(forPerson && (await exists(ofHome)))) {
    return await loadInCluster({ env, readFile, clock });
  }
  const path = chosen ?? ofHome;
  return await loadKubeconfig({ path, ...(context !== undefined && { context }), env, clock });
}

/** The contexts among which somebody who types a command may choose. @throws CredentialsError */
export async function knownContexts({
  kubeconfig,
  env,
}: Pick<ClusterAccessOptions, 'kubeconfig' | 'env'>): Promise<readonly string[]> {
  return await readContexts(kubeconfig ?? nonEmpty(env['KUBECONFIG']) ?? homeConfig(env));
}

function homeConfig(env: Environment): string {
  return join(env['HOME'] ?? '', '.kube', 'config');
}

/** Also if it may not be read: then it is to be named, and no other cluster asked. */
async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
