import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKubeconfig } from '../control-plane/kubeconfig';

/** The ways to an API server for a process that is measured. */
export interface Access {
  readonly url: string;
  /** Path of a kubeconfig with the same token. */
  readonly kubeconfig: string;
  /** What the kubelet would mount into a pod: `token`, `ca.crt`, `namespace`. */
  readonly serviceAccountDir: string;
}

/** What it takes to make one. */
export interface AccessParts {
  readonly url: string;
  readonly caPem: string;
  readonly user: string;
  readonly token: string;
  readonly namespace: string;
}

/** Writes the files of an access into a folder of its own below `dir`. */
export async function writeAccess(dir: string, { url, caPem, user, token, namespace }: AccessParts): Promise<Access> {
  const serviceAccountDir = join(dir, user);
  mkdirSync(serviceAccountDir, { recursive: true });
  const files = { token, 'ca.crt': caPem, namespace };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(serviceAccountDir, name), text, { mode: 0o600 });
  const kubeconfig = join(dir, `${user}.kubeconfig`);
  await writeKubeconfig(kubeconfig, { server: url, caPem, user, identity: { token } });
  return { url, kubeconfig, serviceAccountDir };
}

/** A command that runs as in a pod. */
export interface InPod {
  /** In front of the command and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Puts the files of a service account where a pod has them, for one process alone: in a mount namespace of its own. The
 * process id stays that of the command. Undefined where that is not allowed.
 */
export function inPod({ url, serviceAccountDir }: Access): InPod | undefined {
  const unshare = ['unshare', '--user', '--map-root-user', '--mount'] as const;
  try {
    execFileSync(unshare[0], [...unshare.slice(1), 'mount', '-t', 'tmpfs', 'none', '/run'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  // `/var/run` is a link to `/run` wherever there are mount namespaces.
  const mounted = '/run/secrets/kubernetes.io/serviceaccount';
  const { hostname, port } = new URL(url);
  return {
    command: [
      ...unshare,
      ...['sh', '-c', `mount -t tmpfs none /run && mkdir -p ${mounted} && mount --bind "$0" ${mounted} && exec "$@"`],
      serviceAccountDir,
    ],
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
  };
}
