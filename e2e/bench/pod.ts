import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import type { Stage, StageUser } from './stage';

/** The files and the environment that a pod of a user has. */
export interface Pod {
  readonly env: Readonly<Record<string, string>>;
  /** A command prefix that runs the rest of the command line as if in that pod. */
  readonly command: readonly string[];
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Enters a mount namespace, in which it may mount files anywhere, and execs the command, so the pid stays the same. */
const enter = ['unshare', '--map-root-user', '--mount', '/bin/sh', '-ec'];
const mount = `mount -t tmpfs tmpfs /var/run; mkdir -p ${serviceAccount}; cp "$0"/* ${serviceAccount}; exec "$@"`;

/**
 * Simulates a pod; undefined if the machine does not allow it. In a pod, Reroll reads no kubeconfig and does not load
 * the reader, which alone takes 20 MiB.
 */
export async function podOf(stage: Stage, user: StageUser): Promise<Pod | undefined> {
  const { dir, dispose } = createTemporaryDir();
  process.once('exit', dispose);
  const files = { 'ca.crt': stage.caPem, namespace: 'reroll', token: await stage.tokenFor(user) };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content, { mode: 0o600 });
  const command = [...enter, mount, dir];
  if (spawnSync(command[0] ?? '', [...command.slice(1), 'true']).status !== 0) return undefined;
  const { hostname, port } = new URL(stage.url);
  return { env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: '' }, command };
}
