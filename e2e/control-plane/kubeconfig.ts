import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { Identity } from './certificates';

/** A token of a ServiceAccount, as pods have it. */
export interface BearerToken {
  readonly token: string;
}

/** What a kubeconfig says about one user of one cluster. */
export interface KubeconfigContent {
  readonly server: string;
  readonly caPem: string;
  readonly user: string;
  readonly identity: Identity | BearerToken;
}

/** Renders a kubeconfig with everything inline, so that the file can be moved or handed to another process alone. */
export function renderKubeconfig({ server, caPem, user, identity }: KubeconfigContent): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  const credentials =
    'token' in identity
      ? { token: identity.token }
      : { 'client-certificate-data': base64(identity.certPem), 'client-key-data': base64(identity.keyPem) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'e2e',
    clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority-data': base64(caPem) } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user } }],
  });
}

/** Writes a kubeconfig that only its owner can read. */
export async function writeKubeconfig(file: string, content: KubeconfigContent): Promise<void> {
  await writeFile(file, renderKubeconfig(content), { mode: 0o600 });
}
