import path from 'node:path';
import { findBinary } from './binaries';
import type { Identity } from './certificates';
import type { Cluster } from './cluster';
import { createDataDir, killAndRemove } from './data-dir';
import { runAtExit } from './exit-cleanup';
import { type KubectlOptions, runKubectl } from './kubectl';
import { revokeRerollAccess } from './reroll-access';
import { issueBySigningRequest } from './signing-request';
import { UserDirectory } from './users';

/** The environment variable with the path of the kubeconfig of a cluster that tests may change. */
export const optInVariable = 'REROLL_E2E_EXISTING_CLUSTER';

/** The kubeconfig that the environment opts in to; undefined without an opt-in. */
export function existingClusterKubeconfig(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const file = env[optInVariable];
  return file === undefined || file === '' ? undefined : path.resolve(file);
}

/**
 * Connects to an existing cluster, with the current context of the kubeconfig that the environment names.
 *
 * The usual places (`KUBECONFIG`, `~/.kube/config`) are never read: tests restart workloads and delete what they
 * created, so the cluster must be chosen on purpose.
 *
 * @throws Error without that opt-in.
 */
export async function connectExistingCluster(env: NodeJS.ProcessEnv = process.env): Promise<Cluster> {
  const kubeconfigPath = existingClusterKubeconfig(env);
  if (kubeconfigPath === undefined) {
    throw new Error(
      `Refusing to use an existing cluster: set ${optInVariable} to the path of its kubeconfig to opt in`,
    );
  }
  const dir = createDataDir();
  const forgetExit = runAtExit(() => killAndRemove(dir, []));
  const remove = (): void => {
    killAndRemove(dir, []);
    forgetExit();
  };

  const kubectlFile = findBinary('kubectl') ?? 'kubectl';
  const kubectl = async (args: readonly string[], options: KubectlOptions = {}): Promise<string> =>
    await runKubectl(kubectlFile, kubeconfigPath, path.join(dir, 'kubectl-cache'), args, options);
  try {
    const { server, caPem } = parseClusterAddress(
      await kubectl(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']),
    );
    const issue = async (user: string, groups: readonly string[]): Promise<Identity> =>
      await issueBySigningRequest({ kubectl }, user, groups);
    const users = new UserDirectory({ server, caPem, dir, issue });
    let stopped: Promise<void> | undefined;
    return {
      apiServerUrl: server,
      caPem,
      adminKubeconfigPath: kubeconfigPath,
      identityFor: async (user, groups) => await users.identityFor(user, groups),
      kubeconfigFor: async (user, groups) => await users.kubeconfigFor(user, groups),
      kubectl,
      auditEntries: async () => await Promise.resolve(undefined),
      async stop() {
        stopped ??= revokeRerollAccess({ kubectl }).finally(remove);
        await stopped;
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

interface ClusterAddress {
  readonly server: string;
  readonly caPem: string;
}

interface KubeconfigView {
  readonly clusters?: readonly {
    readonly cluster?: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  }[];
}

function parseClusterAddress(view: string): ClusterAddress {
  const { clusters } = JSON.parse(view) as KubeconfigView;
  const cluster = clusters?.[0]?.cluster;
  const caData = cluster?.['certificate-authority-data'];
  if (cluster?.server === undefined || caData === undefined) {
    throw new Error('the current context of the kubeconfig has no server or no certificate authority');
  }
  return { server: cluster.server, caPem: Buffer.from(caData, 'base64').toString() };
}
