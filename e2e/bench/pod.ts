import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import type { Stage, StageUser } from './stage';

/** What a pod of a user finds in its files and its environment. */
export interface Pod {
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command behind it as if in that pod. */
  readonly command: readonly string[];
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** In a mount namespace of its own, where it may put files at any place; it becomes the command, so the process is that. */
const enter = ['unshare', '--map-root-user', '--mount', '/bin/sh', '-ec'];
const mount = `mount -t tmpfs tmpfs /var/run; mkdir -p ${serviceAccount}; cp "$0"/* ${serviceAccount}; exec "$@"`;

/**
 * Undefined where the machine does not let us. Whoever runs in a pod reads no kubeconfig, and does not load what reads it:
 * that alone would be 20 MiB.
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
