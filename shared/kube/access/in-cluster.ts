import { isIPv6 } from 'node:net';
import { errorMessage } from '../../domain/errors';
import type { Clock } from '../../runtime/clock';
import type { Environment } from '../../runtime/options/options';
import type { ClusterAccess, TlsMaterial } from './cluster-access';
import { CredentialsError, tokenFileCredentials } from './credentials';

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Environment;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly clock: Clock;
}

/** Whether this process runs in a pod, according to its environment. */
export function isInCluster(env: Environment): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
}

/**
 * Access to the API server from inside a pod, with the pod's service account.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
 * @throws CredentialsError when a file or variable is missing.
 */
export async function loadInCluster({ env, readFile, clock }: InClusterOptions): Promise<ClusterAccess> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  if (host === '') throw new CredentialsError('not in a cluster: KUBERNETES_SERVICE_HOST is not set; use a kubeconfig');
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const read = async (name: string): Promise<Buffer> => {
    try {
      return await readFile(`${serviceAccount}/${name}`);
    } catch (thrown) {
      throw new CredentialsError(
        `cannot read ${serviceAccount}/${name}: ${errorMessage(thrown)}; is automountServiceAccountToken off?`,
        thrown,
      );
    }
  };
  const loadTls = async (): Promise<TlsMaterial> => ({ ca: await read('ca.crt') });
  const credentials = tokenFileCredentials(`${serviceAccount}/token`, readFile, clock);
  // A missing token must fail here, because a failure at the first request would look like the server's fault.
  await credentials.headers();
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tls: await loadTls(),
    credentials,
    namespace: (await read('namespace')).toString('utf8').trim(),
    reloadTls: loadTls,
  };
}
