import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';

/** A port of a pod that is a process of this machine. */
export interface PortForward {
  readonly namespace: string;
  readonly pod: string;
  /** The port as clients ask for it. */
  readonly port: number;
  /** The port on the loopback address of this machine. */
  readonly target: number;
}

/** Writes a configuration for KWOK, and resolves with its path. */
export async function writePortForwards(dir: string, forwards: readonly PortForward[]): Promise<string> {
  const file = path.join(dir, 'port-forwards.yaml');
  const documents = forwards.map(({ namespace, pod, port, target }) =>
    stringify({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'PortForward',
      metadata: { name: pod, namespace },
      spec: { forwards: [{ ports: [port], target: { address: '127.0.0.1', port: target } }] },
    }),
  );
  await writeFile(file, documents.join('---\n'));
  return file;
}
